package console_test

import (
	"context"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/pdpp-host/pdpp-host/host/browser/handoff"
	"github.com/pdpp-host/pdpp-host/host/console/words"
	"github.com/pdpp-host/pdpp-host/testplugins/rig/handed"
)

// BR-15 (7.9): a browser that would send what is typed in the clear gets no view, and is told where
// it gets one. The page shows the name that a hostile site gives itself as text. A page that is over
// says how it came out.
func TestAPageIsNotShownInTheClear(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	h := b.Server.Handoffs.Open(handoff.Opening{
		ID: "q_1", Connection: "shop", RunID: "run_1", Reason: "captcha", Deadline: time.Now().Add(time.Hour),
	}, handed.New("<b>shop</b>.example", "<script>alert(1)</script>"))
	a := b.get("/handoffs/q_1")
	for _, want := range []string{"would cross the network in the clear", "through SSH, or over TLS", "&lt;b&gt;shop", "Show that you are a person", "I am done", "I cannot"} {
		if !strings.Contains(a.body, want) {
			t.Errorf("from another machine: got a page without %q, want it there", want)
		}
	}
	for _, harm := range []string{"handoff.js", "<canvas", "<script>alert", "<b>shop"} {
		if strings.Contains(a.body, harm) {
			t.Errorf("from another machine: got %q on the page, want it not there", harm)
		}
	}
	h.End(handoff.OutcomeTimedOut)
	if a := b.get("/handoffs/q_1"); !strings.Contains(a.body, "The time for this page is over") || !strings.Contains(a.body, `href="/questions/q_1"`) || strings.Contains(a.body, "I am done") {
		t.Error("a page that is over: got no outcome, no way back or a form, want what became of it")
	}
	if a := b.get("/handoffs/q_none"); a.status != http.StatusSeeOther || a.to != "/questions/q_none" {
		t.Errorf("no such page: got %d to %q, want to be sent to the question", a.status, a.to)
	}
}

// BR-15 (7.5): who looks at a question is told that somebody is at its page already, and for no longer
// than that is so.
func TestAPageThatIsOpenSaysSo(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	_, q := b.asked("shop", asking("manual_action", "hold the button", ""))
	h := b.Server.Handoffs.Open(handoff.Opening{ID: q.ID, Connection: "shop", RunID: q.RunID, Reason: "captcha", Deadline: time.Now().Add(time.Hour)}, handed.New("shop.example", "shop"))
	defer h.End(handoff.OutcomeCancelled)
	says := func(want bool) {
		t.Helper()
		for _, page := range []string{"/", "/questions", "/questions/" + q.ID, "/connections/shop", "/runs/" + q.RunID} {
			if got := strings.Contains(b.get(page).body, words.HandoffWatched); got != want {
				t.Errorf("%s: got a page that says it is open %v, want %v", page, got, want)
			}
		}
	}
	says(false)
	token, err := b.Server.Handoffs.Attach(q.ID, "ana")
	if err != nil {
		t.Fatal(err)
	}
	ctx, leave := context.WithCancel(t.Context())
	begun, left := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(left)
		begin := sync.OnceFunc(func() { close(begun) })
		_ = b.Server.Handoffs.View(ctx, q.ID, "ana", token, func(byte, []byte) error { begin(); return nil })
	}()
	<-begun
	says(true)
	leave()
	<-left
	says(false)
}
