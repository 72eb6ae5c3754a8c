package questions

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/host/owner"
	"github.com/pdpp-host/pdpp-host/host/run"
	"github.com/pdpp-host/pdpp-host/host/run/holder"
	"github.com/pdpp-host/pdpp-host/host/vault"
	"github.com/pdpp-host/pdpp-host/storage"
	"github.com/pdpp-host/pdpp-host/testplugins/rig/fresh"
)

// secretAnswer is in no event, log, error or shown question.
const secretAnswer = "hunter2-hunter2"

// world is a run that is going on, and the faces by which its owner answers.
type world struct {
	*testing.T

	store *storage.Store
	dir   string
	logs  *strings.Builder
	run   run.Began
}

func newWorld(t *testing.T) *world {
	t.Helper()
	ctx, dir := t.Context(), t.TempDir()
	w := &world{T: t, dir: dir, logs: new(strings.Builder)}
	store, err := storage.Open(ctx, storage.Options{Path: fresh.Store(t, filepath.Join(dir, "pdpp.sqlite")), Now: time.Now})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = store.Close() })
	w.store = store
	conn, err := store.EnsureConnection(ctx, "mine", "demo")
	if err != nil {
		t.Fatal(err)
	}
	w.run = run.Began{RunID: "r1", ConnectionID: conn.ID, Connection: "mine"}
	if _, err := store.BeginRun(ctx, storage.NewRun{
		RunID: "r1", ConnectionID: conn.ID, Connector: "demo", Mode: abi.ModeIncremental, Bookmark: storage.BookmarkIncremental, Holder: holder.Self(), LeaseTTL: time.Hour, Streams: []string{"notes"},
	}); err != nil {
		t.Fatal(err)
	}
	return w
}

// face is an owner who asks by a face.
func (w *world) face(f owner.Face) *owner.Owner {
	w.Helper()
	o := owner.New(owner.Deps{
		Now: time.Now, Random: rand.Reader, Logger: slog.New(slog.NewTextHandler(w.logs, nil)), Actor: owner.Actor{Face: f},
		Vault: vault.Options{Dir: w.dir, Mode: vault.ModeFile}, Open: func(context.Context) (*storage.Store, error) { return w.store, nil },
	})
	if _, err := o.Store(w.Context()); err != nil {
		w.Fatal(err)
	}
	return o
}

// asked parks a question, and returns it and what its run is told in the end.
func (w *world) asked(ctx context.Context, in abi.Interaction) (*Question, <-chan abi.InteractionResponse) {
	w.Helper()
	o := w.face(owner.CommandLine)
	waiting := make(chan bool, 2)
	p := Park(o, w.store, func(yes bool) { waiting <- yes })
	p.Began(w.run)
	told := make(chan abi.InteractionResponse, 1)
	go func() {
		resp, err := p.Ask(ctx, in)
		if err != nil {
			w.Errorf("the run is told %v, want no error", err)
		}
		told <- resp
	}()
	if !<-waiting {
		w.Error("got a run that goes on, want one that waits")
	}
	page, err := List(w.Context(), o, Query{Open: true, Connection: "mine"})
	if err != nil || len(page.Questions) != 1 {
		w.Fatalf("got %+v, %v, want one question", page, err)
	}
	return &page.Questions[0], told
}

var otp = abi.Interaction{Kind: abi.InteractionOTP, Message: "the code?"}

// OC-18: of answers by several faces at once the first one counts, the others are told whose
// it was, each has its audit event, and the run goes on within a second.
func TestTheFirstAnswerCounts(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	q, told := w.asked(t.Context(), otp)
	began := time.Now()
	faces := []owner.Face{owner.CommandLine, owner.BrowserSession, owner.APIToken}
	failed := make([]error, len(faces))
	var all sync.WaitGroup
	for i, f := range faces {
		o := w.face(f)
		all.Go(func() {
			_, failed[i] = Answer(t.Context(), o, Given{ID: q.ID, Values: map[string]string{"code": fmt.Sprint("40", i)}})
		})
	}
	all.Wait()
	winner := -1
	for i, err := range failed {
		switch {
		case err == nil && winner < 0:
			winner = i
		case err == nil || abi.CodeOf(err) != CodeAnswered:
			t.Errorf("%s: got %v, want %s", faces[i], err, CodeAnswered)
		}
	}
	resp := <-told
	if winner < 0 || resp.Status != abi.ResponseSuccess || resp.Data["code"] != fmt.Sprint("40", winner) {
		t.Fatalf("got %+v, want the answer of %d", resp, winner)
	}
	if took := time.Since(began); took > 2*time.Second {
		t.Errorf("got the answer after %s, want it within a second", took)
	}
	for i, err := range failed {
		if typed, ok := errors.AsType[*abi.Error](err); i != winner && (!ok || !strings.Contains(typed.Detail, string(faces[winner]))) {
			t.Errorf("%s is told %v, want that %s answered", faces[i], err, faces[winner])
		}
	}
	page, err := w.face(owner.CommandLine).AuditEvents(t.Context(), owner.AuditQuery{Operation: "questions.answer"})
	if err != nil || len(page.Events) != len(faces) {
		t.Errorf("got %d events, %v, want %d", len(page.Events), err, len(faces))
	}
}

// OC-18.1: credentials are kept when the owner says so, and refused when not; Invariant 5:
// the answer is in no event, error or log, nor in the store once it was taken.
func TestAnswersOfCredentials(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	q, told := w.asked(t.Context(), abi.Interaction{Kind: abi.InteractionCredentials, Message: "sign in"})
	o := w.face(owner.BrowserSession)
	values := map[string]string{"value": secretAnswer}
	_, err := Answer(t.Context(), o, Given{ID: q.ID, Values: values})
	if abi.CodeOf(err) != CodeKeepNeeded {
		t.Errorf("without the owner's word: got %v, want %s", err, CodeKeepNeeded)
	}
	_, stray := Answer(t.Context(), o, Given{ID: q.ID, Keep: true, Values: map[string]string{"value": "x", secretAnswer: secretAnswer}})
	if abi.CodeOf(stray) != CodeAnswerInvalid {
		t.Errorf("a field that was not asked for: got %v, want %s", stray, CodeAnswerInvalid)
	}
	shown, err := Answer(t.Context(), o, Given{ID: q.ID, Keep: true, Values: values})
	if err != nil || shown.State != storage.QuestionAnswered || shown.ClosedBy != string(owner.BrowserSession) || !q.Keeps || !q.Fields[0].Secret {
		t.Errorf("got %+v, %v of %+v, want it answered", shown, err, q)
	}
	if resp := <-told; resp.Data["value"] != secretAnswer {
		t.Errorf("got %+v, want the answer, which the run keeps", resp.Status)
	}
	page, err := o.AuditEvents(t.Context(), owner.AuditQuery{})
	if err != nil {
		t.Fatal(err)
	}
	if text := fmt.Sprintf("%+v %+v %v %+v %s", page, shown, stray, stray, w.logs); strings.Contains(text, secretAnswer) {
		t.Errorf("got a secret in %s, want none", text)
	}
}

// clocked is a context whose time is over when its end is closed, whatever the clock says.
type clocked struct {
	context.Context //nolint:containedctx // it is one

	end chan struct{}
}

func timed(ctx context.Context) (context.Context, context.CancelFunc) {
	c := clocked{ctx, make(chan struct{})}
	return c, sync.OnceFunc(func() { close(c.end) })
}

func (c clocked) Deadline() (time.Time, bool) { return time.Now().Add(time.Hour), true }
func (c clocked) Done() <-chan struct{}       { return c.end }

func (c clocked) Err() error {
	select {
	case <-c.end:
		return context.DeadlineExceeded
	default:
		return nil
	}
}

// OC-18.2, OC-18.3: a question ends with its own time, and with its run.
func TestAQuestionEnds(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name, status, state string
		end                 func(context.Context) (context.Context, context.CancelFunc)
	}{
		{"its time is over", abi.ResponseTimeout, storage.QuestionTimedOut, timed},
		{"its run ends", abi.ResponseCancelled, storage.QuestionLost, func(ctx context.Context) (context.Context, context.CancelFunc) {
			ctx, cancel := context.WithCancel(ctx)
			return ctx, cancel
		}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			ctx, cancel := tc.end(t.Context())
			q, told := w.asked(ctx, otp)
			cancel()
			if resp := <-told; resp.Status != tc.status {
				t.Errorf("the run is told %q, want %q", resp.Status, tc.status)
			}
			o := w.face(owner.CommandLine)
			got, err := Show(t.Context(), o, q.ID)
			if err != nil || got.State != tc.state || got.Waits() {
				t.Errorf("got %+v, %v, want it %s", got, err, tc.state)
			}
			if _, err := Decline(t.Context(), o, q.ID); abi.CodeOf(err) != CodeClosed {
				t.Errorf("declined: got %v, want %s", err, CodeClosed)
			}
		})
	}
}

// A question that is declined is cancelled to its run, and one that nobody asked is unknown.
func TestDecline(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	q, told := w.asked(t.Context(), otp)
	o := w.face(owner.APIToken)
	if got, err := Decline(t.Context(), o, q.ID); err != nil || got.State != storage.QuestionDeclined {
		t.Errorf("got %+v, %v, want it declined", got, err)
	}
	if resp := <-told; resp.Status != abi.ResponseCancelled || len(resp.Data) > 0 {
		t.Errorf("the run is told %+v, want %s", resp, abi.ResponseCancelled)
	}
	for _, id := range []string{"q_none", "mine", ""} {
		if _, err := Decline(t.Context(), o, id); abi.CodeOf(err) != CodeUnknown {
			t.Errorf("%q: got %v, want %s", id, err, CodeUnknown)
		}
	}
}

// OC-18.4: a connector's words are a bounded quotation without control or bidi characters,
// and the host's warning stands beside them.
func TestWhatIsShownOfAGuestsWords(t *testing.T) {
	t.Parallel()
	q := shown(&storage.Question{
		Kind: abi.InteractionCredentials, Message: "a\x1b[2J\u202eb\r\nc" + strings.Repeat("x", 1<<20),
		Schema: []byte(`{"properties":{"t":{"title":"\u2066` + strings.Repeat("y", 1<<10) + `"}}}`),
	})
	if strings.ContainsAny(q.Quote+q.Fields[0].Label, "\x1b\u202e\u2066\r\n") || len([]rune(q.Quote)) > mostQuoted || len([]rune(q.Fields[0].Label)) > mostLabel {
		t.Errorf("got %q with %q, want bounded text", q.Quote, q.Fields[0].Label)
	}
	for _, kind := range []string{abi.InteractionOTP, abi.InteractionManualAction, abi.InteractionCredentials, abi.InteractionMissingCredentials, "later"} {
		if q := shown(&storage.Question{Kind: kind}); !strings.Contains(q.Warning, "The password of this host is never asked for") && !strings.Contains(q.Warning, "the password of this host is never asked for") {
			t.Errorf("%s: got the warning %q, want that it names the password of this host", kind, q.Warning)
		}
	}
}

// A guest's question is shown bounded, whatever it holds.
func FuzzShown(f *testing.F) {
	f.Add("otp", "the code?", []byte(`{"properties":{"a":{"enum":["x"]}}}`))
	f.Fuzz(func(t *testing.T, kind, message string, schema []byte) {
		q := shown(&storage.Question{Kind: kind, Message: message, Schema: schema})
		if quoted(q.Quote, mostQuoted) != q.Quote {
			t.Fatalf("got %q, want text", q.Quote)
		}
		for _, field := range q.Fields {
			if quoted(field.Label, mostLabel) != field.Label {
				t.Fatalf("got the label %q, want text", field.Label)
			}
		}
	})
}
