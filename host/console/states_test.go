package console_test

import (
	"encoding/json"
	"html"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/pdpp-host/pdpp-host/health/verdict"
	"github.com/pdpp-host/pdpp-host/health/view"
	"github.com/pdpp-host/pdpp-host/host/owner/doctor"
	"github.com/pdpp-host/pdpp-host/host/plugin"
	quoted "github.com/pdpp-host/pdpp-host/sdk/said"
)

// failing is the script of a run that fails over something that only its message says.
const failing = `done {"type":"DONE","status":"failed","records_emitted":0,"error":{"code":"demo_failed","message":"it did not work","retryable":false}}`

// state is a state that a connection can be in, made by what its owner does.
type state struct {
	make  func(b *bed)
	label string       // what its pill says
	cause verdict.Code // its sentence
	does  verdict.Code // its first action; "": there is none
}

var states = map[string]state{
	"notyet": {func(b *bed) { b.scripted("notyet", "finish") }, "Checking", "not_run_yet", ""},
	"well": {func(b *bed) {
		b.scripted("well", "records notes 0 3\nrecords journal 0 3\nfinish")
		b.ran("well")
	}, "Checking", "complete_freshness_unknown", ""}, // nothing says when it is old
	"failed": {func(b *bed) {
		b.scripted("failed", failing)
		b.ran("failed")
	}, "Degraded", "retry_gap", "cta_retry_gap"},
	"again": {func(b *bed) {
		b.scripted("again", failing)
		b.ran("again")
		b.ran("again")
	}, "Degraded", "came_back_unchanged", "cta_came_back_unchanged"},
	"lacks": {func(b *bed) { // it asks, and is told nothing
		b.Connect(b.t, "lacks", "credentialed", nil)
		run, q := b.askedBy("lacks")
		b.ask(http.MethodPost, "/questions/"+q.ID+"/decline", url.Values{}, nil)
		b.Ended(b.t, run)
	}, "Can't collect", "sign_in", "cta_sign_in"},
	"asked": {func(b *bed) {
		b.Connect(b.t, "asked", "credentialed", nil)
		b.askedBy("asked")
	}, "Can't collect", "sign_in", "cta_add_info"},
	"code": {func(b *bed) { b.asked("code", asking("otp", "the code", "")) }, "Degraded", "add_info", "cta_add_info"},
	"changed": {func(b *bed) { // an older run failed over something else
		b.scripted("changed", failing)
		b.ran("changed")
		at := filepath.Join(b.Dir, "plugins", "scripted"+plugin.Extension)
		module, err := os.ReadFile(at) //nolint:gosec // the test's own file
		if err != nil {
			b.t.Fatal(err)
		}
		if err := os.WriteFile(at, append(module, 0, 5, 4, 'n', 'o', 't', 'e'), 0o600); err != nil { // another custom section
			b.t.Fatal(err)
		}
		b.ask(http.MethodPost, "/connections/changed/run", url.Values{}, nil)
	}, "Can't collect", "put_right_module", "cta_put_right_module"},
}

func (b *bed) scripted(name, script string) {
	b.t.Helper()
	b.Connect(b.t, name, "scripted", map[string]string{"script": script})
}

func (b *bed) ran(name string) {
	b.t.Helper()
	b.Ended(b.t, b.began(name))
}

// Every face says the same state of a connection and the same first cause, and the front page
// counts as many things to do as it shows.
func TestOneStateOneCause(t *testing.T) {
	t.Parallel()
	for name, want := range states {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBed(t)
			want.make(b)
			for face, said := range b.faces(name) {
				if said.label != want.label || said.cause != want.cause || said.does != want.does {
					t.Errorf("%s: got %q, %s, %q, want %q, %s, %q", face, said.label, said.cause, said.does, want.label, want.cause, want.does)
				}
			}
			h, err := b.Owner.Health(t.Context(), name, false)
			if err != nil {
				t.Fatal(err)
			}
			if h.Verdict.Cause != nil && want.does != "" && strings.HasPrefix(string(want.does), "cta_put_right") {
				t.Errorf("got the older cause %+v under %s, want none", h.Verdict.Cause, want.cause)
			}
			if name == "changed" && len(h.Missing) > 0 {
				t.Errorf("got %+v of an older run as what is missing, want the module alone", h.Missing)
			}
			front, own := b.get("/").body, b.get("/connections/"+name).body
			for page, body := range map[string]string{"/": front, "/connections/" + name: own} {
				for _, text := range []string{html.EscapeString(want.label), html.EscapeString(strings.TrimSuffix(h.Verdict.ForwardStatement, "."))} {
					if !strings.Contains(body, text) {
						t.Errorf("%s: got no %q, want it there", page, text)
					}
				}
			}
			cards := strings.Count(front, `class="do`)
			if counted := map[bool]string{true: "One thing needs you", false: "Nothing needs you"}[cards > 0]; cards > 1 || !strings.Contains(front, "<h1>"+counted+"</h1>") {
				t.Errorf("got %d cards under another headline than %q", cards, counted)
			}
		})
	}
}

// said is what a face says of a connection.
type said struct {
	label       string
	cause, does verdict.Code
}

func saidOf(v *view.Brief) said {
	s := said{label: v.Pill.Label, cause: v.ForwardCode}
	if len(v.RequiredActions) > 0 {
		s.does = v.RequiredActions[0].CTACode
	}
	return s
}

// faces returns what each face says of a connection: the list, its own page, its settings, doctor.
func (b *bed) faces(name string) map[string]said {
	b.t.Helper()
	fleet, err := b.Owner.Fleet(b.t.Context(), "", 10)
	if err != nil {
		b.t.Fatal(err)
	}
	one, err := b.Owner.Health(b.t.Context(), name, true)
	if err != nil {
		b.t.Fatal(err)
	}
	shown, err := b.Owner.Connection(b.t.Context(), name)
	if err != nil {
		b.t.Fatal(err)
	}
	findings, err := doctor.Examine(b.t.Context(), b.Owner, doctor.Options{})
	if err != nil {
		b.t.Fatal(err)
	}
	told, err := b.Owner.Tell(b.t.Context(), nil)
	if err != nil || len(told) != 1 {
		b.t.Fatal(told, err)
	}
	faces := map[string]said{"status": saidOf(&fleet.Connections[0].Verdict), "connections show": saidOf(shown.Verdict)}
	own := said{label: one.Verdict.Pill.Label, cause: one.Verdict.ForwardCode}
	if len(one.Verdict.RequiredActions) > 0 {
		own.does = one.Verdict.RequiredActions[0].CTACode
	}
	faces["status NAME"] = own
	for i := range findings {
		if h := findings[i].Health; h != nil {
			faces["doctor"] = saidOf(&h.Verdict)
		}
	}
	scoped := verdict.GrantScoped(told[0].Verdict())
	faces["readers"] = said{scoped.Pill.Label, own.cause, own.does} // who are told the pill alone
	return faces
}

// AC-11: the provider's own words for a refusal of the whole have a place of their own in the
// details, as one line that is no command to a terminal, no markup and no secret.
func TestProviderSaysItInItsPlace(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	message := "the provider refused the app" + quoted.Quoted("Your app is inactive.\x1b[2J <b>Pay</b> with sk_live_4eC39HqLyjWDarjtT1zdp7dc"+strings.Repeat(" more", 90))
	text, err := json.Marshal(map[string]any{
		"type": "DONE", "status": "failed", "records_emitted": 0, "error": map[string]any{"code": "demo_http_403", "message": message, "retryable": false},
	})
	if err != nil {
		t.Fatal(err)
	}
	b.scripted("said", "done "+string(text))
	run := b.began("said")
	b.Ended(t, run)
	h, err := b.Owner.Health(t.Context(), "said", true)
	if err != nil {
		t.Fatal(err)
	}
	said := h.Verdict.Detail.Said
	if said == nil || said.RunID != run || !strings.HasPrefix(said.Text, "Your app is inactive.") || len(said.Text) > 200 ||
		strings.Contains(said.Text, "4eC39HqLyjWDarjtT1zdp7dc") || strings.ContainsFunc(said.Text, unicode.IsControl) {
		t.Fatalf("got %+v, want the provider's sentence of %s, one line of at most 200 bytes", said, run)
	}
	if got := view.Details(&h.Verdict); !slices.Contains(got, view.Line{Name: "in the provider's words", Text: "“" + said.Text + "”"}) {
		t.Errorf("got the details %+v, want a line of the provider's words", got)
	}
	if page := b.get("/connections/said").body; strings.Contains(page, "<b>Pay") {
		t.Error("got the provider's markup in the page, want text")
	}
	if verdict.GrantScoped(h.Verdict).Detail != nil {
		t.Error("got the details under a grant, want none")
	}
	b.scripted("mute", failing)
	b.ran("mute")
	if h, err := b.Owner.Health(t.Context(), "mute", true); err != nil || h.Verdict.Detail.Said != nil {
		t.Errorf("got %+v, %v of a provider that said nothing, want nothing", h.Verdict.Detail.Said, err)
	}
}
