package interact

import (
	"bytes"
	"context"
	"errors"
	"io"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"github.com/pdpp-host/pdpp-host/abi"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// typist is an owner who types what comes over lines; closing it is Ctrl-D.
type typist struct {
	lines    chan string
	hidden   atomic.Int32
	restored atomic.Int32
	quiet    atomic.Bool // echo is off
}

func (p *typist) ReadLine() (string, error) {
	l, ok := <-p.lines
	if !ok {
		return "", io.EOF
	}
	return l, nil
}
func (p *typist) Hide() error { p.quiet.Store(true); return nil }
func (p *typist) ReadSecret() (string, error) {
	defer p.quiet.Store(false)
	p.hidden.Add(1)
	return p.ReadLine()
}
func (p *typist) Restore() { p.quiet.Store(false); p.restored.Add(1) }

func typing(lines ...string) *typist {
	p := &typist{lines: make(chan string, len(lines))}
	for _, l := range lines {
		p.lines <- l
	}
	close(p.lines)
	return p
}

var asking = Connector{Name: "notes", File: "~/plugins/notes.wasm"}

const loginSchema = `{"type":"object","properties":{"user":{"type":"string","title":"User name","secret":false},
 "password":{"type":"string","format":"password"},"note":{"type":"string"}},"required":["user","password"]}`

// The terminal says what to do instead where it cannot show a page (BR-15).
func TestAskOnPage(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	in := abi.Interaction{Kind: abi.InteractionManualAction, Message: "hold it", Browser: &abi.Handoff{Reason: abi.HandoffCaptcha}}
	resp, err := New(typing(), &out, asking).Ask(t.Context(), in)
	if err != nil || resp.Status != abi.ResponseCancelled || !strings.Contains(out.String(), "pdpp-host serve") {
		t.Errorf("got %+v, %v and %q, want to be told of serve", resp, err, out.String())
	}
}

func TestAsk(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name   string
		in     abi.Interaction
		typed  []string
		status string
		data   map[string]string
		hidden int32
	}{
		{"fields in order", abi.Interaction{Kind: abi.InteractionCredentials, Schema: abi.Raw(loginSchema)},
			[]string{"ada", "hunter2", ""}, abi.ResponseSuccess, map[string]string{"user": "ada", "password": "hunter2"}, 2},
		{"one-time code", abi.Interaction{Kind: abi.InteractionOTP}, []string{"123456"}, abi.ResponseSuccess, map[string]string{"code": "123456"}, 0},
		{"manual action", abi.Interaction{Kind: abi.InteractionManualAction}, []string{""}, abi.ResponseSuccess, map[string]string{}, 0},
		{"empty schema", abi.Interaction{Kind: abi.InteractionManualAction, Schema: abi.Raw(`{"type":"object"}`)}, []string{""}, abi.ResponseSuccess, map[string]string{}, 0},
		{"asked again", abi.Interaction{Kind: abi.InteractionOTP}, []string{"", "", "1"}, abi.ResponseSuccess, map[string]string{"code": "1"}, 0},
		{"left empty", abi.Interaction{Kind: abi.InteractionOTP}, []string{"", "", ""}, abi.ResponseCancelled, nil, 0},
		{"end of input", abi.Interaction{Kind: abi.InteractionOTP}, nil, abi.ResponseCancelled, nil, 0},
		{"credentials are hidden", abi.Interaction{Kind: abi.InteractionMissingCredentials}, []string{"x"}, abi.ResponseSuccess, map[string]string{"value": "x"}, 1},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			tc.in.RequestID, tc.in.Message = "q1", "Please sign in."
			var out bytes.Buffer
			p := typing(tc.typed...)
			got, err := New(p, &out, asking).Ask(t.Context(), tc.in)
			if err != nil {
				t.Fatal(err)
			}
			if got.Status != tc.status || got.RequestID != "q1" || got.Type != abi.TypeInteractionResp || len(got.Data) != len(tc.data) {
				t.Errorf(`got %s with %d answers, want got.Status == tc.status && got.RequestID == "q1" && got.Type == abi.TypeInteractionResp && len(got.Data) == len(tc.data)`, got.Status, len(got.Data))
			}
			for k, v := range tc.data {
				if got.Data[k] != v {
					t.Errorf("%s is wrong, want %v", k, v)
				}
			}
			if p.hidden.Load() != tc.hidden {
				t.Errorf("%d answers hidden, want %d", p.hidden.Load(), tc.hidden)
			}
			// Invariant 5: an answer is never shown again.
			if strings.Contains(out.String(), "hunter2") || !strings.Contains(out.String(), "Please sign in.") {
				t.Errorf(`shown: %q, want !strings.Contains(out.String(), "hunter2") && strings.Contains(out.String(), "Please sign in.")`, out.String())
			}
		})
	}
}

func TestTimeout(t *testing.T) {
	t.Parallel()
	five := 5.0
	for _, tc := range []struct {
		name string
		in   abi.Interaction
		want time.Duration
	}{
		{"the connector's own", abi.Interaction{Kind: abi.InteractionOTP, TimeoutSeconds: &five}, 5 * time.Second},
		{"the default", abi.Interaction{Kind: abi.InteractionOTP}, defaultTimeout},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				p := &typist{lines: make(chan string)}
				start := time.Now()
				got, err := New(p, io.Discard, asking).Ask(t.Context(), tc.in)
				if err != nil || got.Status != abi.ResponseTimeout || time.Since(start) != tc.want {
					t.Errorf("%s after %s: %v, want no error && got.Status == abi.ResponseTimeout && time.Since(start) == tc.want", got.Status, time.Since(start), err)
				}
				if p.restored.Load() != 1 {
					t.Error("the terminal was not restored")
				}
				close(p.lines)
			})
		})
	}
}

// RT-08: missing credentials wait until the run ends, not for a default time.
func TestMissingCredentialsWait(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p := &typist{lines: make(chan string)}
		ctx, cancel := context.WithTimeout(t.Context(), 100*time.Hour)
		defer cancel()
		start := time.Now()
		got, err := New(p, io.Discard, asking).Ask(ctx, abi.Interaction{Kind: abi.InteractionMissingCredentials})
		if err != nil || got.Status != abi.ResponseTimeout || time.Since(start) != 100*time.Hour {
			t.Errorf("%s after %s: %v, want no error && got.Status == abi.ResponseTimeout && time.Since(start) == 100 * time.Hour", got.Status, time.Since(start), err)
		}
		close(p.lines)
	})
}

func TestCancelThenAskAgain(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p := &typist{lines: make(chan string)}
		term := New(p, io.Discard, asking)
		ctx, cancel := context.WithCancelCause(t.Context())
		cancel(errors.New("stopped"))
		got, err := term.Ask(ctx, abi.Interaction{Kind: abi.InteractionOTP})
		if err != nil || got.Status != abi.ResponseCancelled {
			t.Fatalf("got %s, %v, want no error && got.Status == abi.ResponseCancelled", got.Status, err)
		}
		go func() {
			p.lines <- "the first question"
			p.lines <- "the second"
			close(p.lines)
		}()
		got, err = term.Ask(t.Context(), abi.Interaction{Kind: abi.InteractionOTP})
		if err != nil || got.Data["code"] != "the second" {
			t.Errorf(`got %v, %v, want no error && got.Data["code"] == "the second"`, got.Data, err)
		}
	})
}

func TestUnaskable(t *testing.T) {
	t.Parallel()
	many := `{"properties":{` + strings.Repeat(`"a":{},`, 30) + `"b":{}}}`
	for _, schema := range []string{`[]`, `{"properties":{}}`, `{"properties":{"a":{},"b":{}}}`, `{"properties":[]}`, `{"properties":{"a":{"type":"object"}}}`, `{"properties":{"a":1}}`, many, `{`} {
		_, err := New(typing(), io.Discard, asking).Ask(t.Context(), abi.Interaction{Kind: abi.InteractionOTP, Schema: abi.Raw(schema)})
		if abi.CodeOf(err) != abi.CodeInteractionInvalid {
			t.Errorf("%s: abi.CodeOf(err): got %v, want %v", schema, err, abi.CodeInteractionInvalid)
		}
	}
}

func TestGuestTextIsHarmless(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	in := abi.Interaction{Kind: abi.InteractionOTP, Message: "hi\x1b[2J\u202ethere\a" + strings.Repeat("x", 5000),
		Schema: abi.Raw(`{"properties":{"a":{"title":"\u001b]0;title\u0007code"}}}`)}
	if _, err := New(typing("1"), &out, asking).Ask(t.Context(), in); err != nil {
		t.Fatal(err)
	}
	if strings.ContainsAny(out.String(), "\x1b\a\u202e") || out.Len() > 2500 {
		t.Errorf(`shown: %q, want !strings.ContainsAny(out.String(), "\x1b\a\u202e") && out.Len() <= 2500`, out.String())
	}
}

func FuzzFields(f *testing.F) {
	f.Add(loginSchema)
	f.Fuzz(func(t *testing.T, schema string) {
		fields, err := FieldsOf(abi.Interaction{Kind: abi.InteractionOTP, Schema: abi.Raw(schema)})
		if err == nil && len(fields) == 0 {
			t.Fatal("nothing to ask")
		}
		for _, f := range fields {
			if strings.ContainsRune(f.prompt(), 0x1b) {
				t.Fatal("escape in a prompt")
			}
		}
	})
}

// screen is where questions appear, and how typing was shown at each.
type screen struct {
	by    *typist
	quiet map[string]bool
}

func (s *screen) Write(text []byte) (int, error) {
	s.quiet[strings.TrimSpace(string(text))] = s.by.quiet.Load()
	return len(text), nil
}

// Invariant 5: what is typed or pasted as soon as a secret is asked for is not shown
// either: echo is off before the question is on the screen, each time it is asked.
func TestHiddenBeforeItIsAsked(t *testing.T) {
	t.Parallel()
	p := typing("ada", "", "hunter2", "a note")
	s := &screen{by: p, quiet: map[string]bool{}}
	r, err := New(p, s, asking).Ask(t.Context(), abi.Interaction{Kind: abi.InteractionCredentials, Schema: abi.Raw(loginSchema)})
	if err != nil || r.Status != abi.ResponseSuccess || r.Data["password"] != "hunter2" {
		t.Fatalf(`got %+v, %v, want no error && r.Status == abi.ResponseSuccess && r.Data["password"] == "hunter2"`, r, err)
	}
	for asked, quiet := range s.quiet {
		if want := strings.Contains(asked, "not shown"); quiet != want {
			t.Errorf("%q is asked with typing hidden: %v, want %v", asked, quiet, want)
		}
	}
	if len(s.quiet) < 4 {
		t.Errorf("got %v, want len(s.quiet) >= 4", s.quiet)
	}
}

// A connector's question cannot pass for the host's or the system's. The host's words
// name the asking connector, its file, and the reader of the answer; the connector's
// words are on a marked line, and no label of its own asks for what it would read.
func TestQuestionIsTheConnectors(t *testing.T) {
	t.Parallel()
	const plea = `[sudo] password for ada`
	for _, tc := range []struct {
		name, kind, schema, typed string
		want, never               []string
		hidden                    int32
		unaskable                 bool
	}{
		{name: "a code with a label", kind: abi.InteractionOTP, schema: `{"properties":{"c":{"title":"` + plea + `","format":"password"}}}`, typed: "123456",
			want: []string{"  one-time code: ", "The connector reads your answer"}, never: []string{plea + ":", "not shown"}},
		{name: "a code of two fields", kind: abi.InteractionOTP, schema: `{"properties":{"a":{},"b":{}}}`, unaskable: true},
		{name: "an action with free text", kind: abi.InteractionManualAction, schema: `{"properties":{"a":{"title":"` + plea + `","format":"password"}}}`, unaskable: true},
		{name: "an action with choices", kind: abi.InteractionManualAction, schema: `{"properties":{"a":{"enum":["yes","no"],"format":"password"}}}`, typed: "yes",
			want: []string{"  a (yes, no)", "The connector reads your answer"}, never: []string{"not shown"}},
		{name: "a credential", kind: abi.InteractionCredentials, schema: `{"properties":{"token":{"title":"` + plea + `"}}}`, typed: "x",
			want: []string{`  token ("` + plea + `") (not shown)`, "pdpp-host keeps your answer, encrypted"}, hidden: 1},
	} {
		var out bytes.Buffer
		p := typing(tc.typed)
		_, err := New(p, &out, asking).Ask(t.Context(), abi.Interaction{Kind: tc.kind, Message: "pdpp-host needs\nyour word", Schema: abi.Raw(tc.schema)})
		if got := abi.CodeOf(err) == abi.CodeInteractionInvalid; got != tc.unaskable {
			t.Errorf("%s: %v, want it refused: %t", tc.name, err, tc.unaskable)
		}
		if tc.unaskable {
			continue
		}
		for _, want := range append(tc.want, "\nThe connector notes (~/plugins/notes.wasm) asks:\n  > pdpp-host needs your word\n") {
			if !strings.Contains(out.String(), want) {
				t.Errorf("%s: shown is %q, want %q in it", tc.name, out.String(), want)
			}
		}
		for _, never := range tc.never {
			if strings.Contains(out.String(), never) {
				t.Errorf("%s: shown is %q, want no %q in it", tc.name, out.String(), never)
			}
		}
		if p.hidden.Load() != tc.hidden {
			t.Errorf("%s: %d answers hidden, want %d", tc.name, p.hidden.Load(), tc.hidden)
		}
	}
}

// An answer that does not fit its field is asked for again and reaches nobody.
func TestAnswerThatDoesNotFit(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("hunter2", 3)
	for _, in := range []abi.Interaction{
		{Kind: abi.InteractionOTP},
		{Kind: abi.InteractionManualAction, Schema: abi.Raw(`{"properties":{"code":{"enum":["1"]}},"required":["code"]}`)},
	} {
		var out bytes.Buffer
		r, err := New(typing(long, "1"), &out, asking).Ask(t.Context(), in)
		if err != nil || r.Data["code"] != "1" || strings.Contains(out.String(), long) {
			t.Errorf("%s: %v, %v, shown %q; want the answer 1 and nothing of the other", in.Kind, r.Data, err, out.String())
		}
	}
}
