package run

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/host/browser/handoff"
	"github.com/pdpp-host/pdpp-host/host/plugin"
	"github.com/pdpp-host/pdpp-host/storage"
)

// browsing is a browser of a test's own, and the page of it that is handed over.
type browsing struct {
	refuses error // to hand a page over
	gone    error // why its page takes no code
	tell    func(string, map[string]any)
	outcome string // of the page
	sent    bool   // a secret
	in      bool   // and the connector says that it was let in
	keeps   bool   // the answers to questions

	lock  sync.Mutex
	steps []string
}

func (b *browsing) step(what string) {
	b.lock.Lock()
	defer b.lock.Unlock()
	b.steps = append(b.steps, what)
}

func (b *browsing) Missing(*abi.BrowserRequirements) error                       { return nil }
func (b *browsing) Open(context.Context, BrowserRun) (Browsing, error)           { return b, nil }
func (b *browsing) Watch(_ func(error, bool), tell func(string, map[string]any)) { b.tell = tell }
func (b *browsing) Keep(string, map[string]string) bool                          { return b.keeps }
func (b *browsing) Refused() (map[string]int, int)                               { return nil, 0 }
func (b *browsing) Close() error                                                 { return nil }
func (b *browsing) Submits(func(context.Context, bool) error)                    {}
func (b *browsing) Lease(leased func(abi.Code, string))                          { leased("", "p1") }
func (b *browsing) Fault() error                                                 { return nil }
func (b *browsing) Ready(context.Context) error                                  { return b.gone }
func (b *browsing) Submitted() bool                                              { return b.sent && !b.in }
func (b *browsing) Sent() bool                                                   { return b.sent }

func (b *browsing) Cookies(context.Context, *url.URL) ([]*http.Cookie, error) { return nil, nil }

func (b *browsing) SetCookies(context.Context, *url.URL, []*http.Cookie) (bool, error) {
	return false, nil
}

func (b *browsing) Do(_ []byte, reply func([]byte)) error {
	reply([]byte(`{"page":1}` + "\n"))
	return nil
}

func (b *browsing) Asking(open bool) {
	if open {
		b.step("asking")
	} else {
		b.step("asked")
	}
}

func (b *browsing) HandOver(_ context.Context, h *abi.Handoff) (handoff.Page, error) {
	b.step("hand over for " + h.Reason)
	if b.refuses != nil {
		return nil, b.refuses
	}
	b.tell("run.browser_host_allowed", map[string]any{"host": "captcha.example"})
	return page{b}, nil
}

type page struct{ of *browsing }

func (page) State() (handoff.State, <-chan struct{}) { return handoff.State{}, nil }
func (page) Cast(context.Context, int, func([]byte, func())) (stop func(), _ error) {
	return func() {}, nil
}
func (page) Do(context.Context, handoff.Event) error { return nil }
func (page) Ended() <-chan struct{}                  { return nil }
func (p page) Outcome() string                       { return p.of.outcome }
func (p page) Back(_ context.Context, ok bool)       { p.of.step(fmt.Sprint("back ", ok)) }

// onPage is an asker whose owner acts on pages.
type onPage struct {
	answers

	on func(handoff.Surface) abi.InteractionResponse
}

func (o onPage) AskOn(_ context.Context, _ abi.Interaction, s handoff.Surface) (abi.InteractionResponse, error) {
	return o.on(s), nil
}

// withBrowser returns the module with a browser in its manifest.
func withBrowser(t *testing.T, f *plugin.File) *plugin.File {
	t.Helper()
	from, to := bytes.Index(f.Bytes, []byte(`"bindings": {"filesystem"`)), bytes.Index(f.Bytes, []byte("\n  },\n  \"capabilities\""))
	const is = `"bindings": {"filesystem": {"required": false}, "interactive": {"required": false}, "network": {"required": false}, "browser": {"required": true}},` +
		`"network": {"hosts": []}, "browser": {"start_url": "https://a.example/", "hosts": [{"host": "a.example", "role": "provider", "reason": "x"}]}`
	if from < 0 || to < from+len(is) {
		t.Fatalf("got no room from %d to %d for another manifest, want it", from, to)
	}
	module := slices.Clone(f.Bytes)
	copy(module[from:to], is+strings.Repeat(" ", to-from-len(is)))
	return plugin.FromBytes(f.Name, module)
}

const askOn = `{"type":"INTERACTION","request_id":"q1","kind":"manual_action","message":"hold it","browser":{"page":1,"reason":"captcha"}}`

// A page is handed over before the owner is asked, with the clock of signing in stopped, and taken
// back before it goes on. Meanwhile requests of the browser are refused, and are no violation. A
// host that the owner allows is kept as an event (BR-08.4, BR-15, RT-15.3).
func TestHandOver(t *testing.T) {
	t.Parallel()
	b, asked, acted := &browsing{}, make(chan struct{}), make(chan struct{})
	h := newHost(t, setup{isolation: "process", sender: &fakeSender{answer: func(string) string { return "" }}, asker: onPage{nil, func(s handoff.Surface) abi.InteractionResponse {
		b.step("owner")
		if (s != page{b}) {
			t.Errorf("got %v, want the page", s)
		}
		close(asked)
		<-acted
		return abi.InteractionResponse{Status: abi.ResponseSuccess}
	}}})
	h.deps.Browser = b
	h.runner, h.file = New(h.deps), withBrowser(t, h.file)
	go func() {
		<-asked
		close(acted)
	}()
	res := h.mustPlay("submit 3 " + askOn + "\nexpect \"status\":\"success\"\nsubmit 5 {\"do\":\"pages\"}\nexpect \"page\":1" + done(0))
	if res.Status != StatusSucceeded {
		t.Fatalf("got %s %s %+v, want it to succeed", res.Status, res.Reason, res.Error)
	}
	if want := []string{"hand over for captcha", "asking", "owner", "back true", "asked"}; !slices.Equal(b.steps, want) {
		t.Errorf("got %v, want %v", b.steps, want)
	}
	events, err := h.store.Events(t.Context(), res.RunID, 0, 100)
	if err != nil || !slices.ContainsFunc(events, func(e storage.Event) bool {
		return e.Type == "run.browser_host_allowed" && strings.Contains(string(e.Data), "captcha.example")
	}) {
		t.Errorf("got %+v, %v, want the allowed host kept", events, err)
	}
	// Until when it waits is in the event, from which the connection's health has it.
	asks := slices.IndexFunc(events, func(e storage.Event) bool { return e.Type == "run.interaction_required" })
	var told struct {
		Until time.Time `json:"expires_at"`
	}
	if asks < 0 || json.Unmarshal(events[asks].Data, &told) != nil || told.Until.IsZero() {
		t.Errorf("got %+v, want the end of the question's time among them", events)
	}
}

// A code is good once: none is asked for when the page that it is for is gone (BR-16, OC-18).
func TestNoCodeWithoutItsPage(t *testing.T) {
	t.Parallel()
	b := &browsing{gone: abi.NewError(abi.CodeBrowserPageHung, "the page hangs", "open another one")}
	h := newHost(t, setup{isolation: "process", sender: &fakeSender{answer: func(string) string { return "" }}, asker: answers(func(context.Context, abi.Interaction) (abi.InteractionResponse, error) {
		b.step("owner")
		return abi.InteractionResponse{Status: abi.ResponseSuccess}, nil
	})})
	h.deps.Browser = b
	h.runner, h.file = New(h.deps), withBrowser(t, h.file)
	res := h.mustPlay(ask(abi.InteractionOTP) + "\nexpect browser.page_hung\n" + ask(abi.InteractionManualAction) + "\nexpect \"status\":\"success\"" + done(0))
	if want := []string{"asking", "owner", "asked"}; res.Status != StatusSucceeded || !slices.Equal(b.steps, want) {
		t.Errorf("got %s and %v, want it to succeed, and the other question alone asked: %v", res.Status, b.steps, want)
	}
	events, err := h.store.Events(t.Context(), res.RunID, 0, 100)
	if err != nil {
		t.Fatal(err)
	}
	var told []string
	for _, e := range events {
		if e.Type == "run.interaction_required" {
			told = append(told, string(e.Data))
		}
	}
	if len(told) != 1 || !strings.Contains(told[0], abi.InteractionManualAction) {
		t.Errorf("got the owner told of %v, want the other question alone", told)
	}
}

// A code that the browser types itself is kept from the connector; any other answer goes to it (BR-16).
func TestWhoGetsAnAnswer(t *testing.T) {
	t.Parallel()
	for keeps, want := range map[bool]string{false: `"status":"success","data":{"code":"123123"}}`, true: `"status":"success"}`} {
		h := newHost(t, setup{isolation: "process", sender: &fakeSender{answer: func(string) string { return "" }}, asker: answers(func(context.Context, abi.Interaction) (abi.InteractionResponse, error) {
			return abi.InteractionResponse{Status: abi.ResponseSuccess, Data: map[string]string{"code": "123123"}}, nil
		})})
		h.deps.Browser = &browsing{keeps: keeps}
		h.runner, h.file = New(h.deps), withBrowser(t, h.file)
		if res := h.mustPlay(ask(abi.InteractionOTP) + "\nexpect " + want + done(0)); res.Status != StatusSucceeded {
			t.Errorf("kept by the browser: %t: got %s %s, want the connector to be answered %s", keeps, res.Status, res.Reason, want)
		}
	}
}

// While a page is its owner's, a request of the browser is answered that it is, and any other one
// is a violation as behind every question.
func TestHandedOver(t *testing.T) {
	t.Parallel()
	for name, next := range map[string]string{
		"a request of the browser": "submit 5 {\"do\":\"content\"}\nexpect browser.handed_over\nrecords notes 0 1", // gets as far as that
		"a record":                 "records notes 0 1",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := &browsing{}
			h := newHost(t, setup{isolation: "process", sender: &fakeSender{answer: func(string) string { return "" }}})
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			h.deps.Asker = onPage{nil, func(handoff.Surface) abi.InteractionResponse {
				<-ctx.Done()
				return abi.InteractionResponse{Status: abi.ResponseCancelled}
			}}
			h.deps.Browser, h.deps.Collect = b, func(ctx context.Context, g *plugin.Guest, grant plugin.Grant, host plugin.Host) plugin.Exit {
				defer cancel()
				return g.Collect(ctx, grant, host)
			}
			h.runner, h.file = New(h.deps), withBrowser(t, h.file)
			res, err := h.play("pending 3 " + askOn + "\n" + next + "\nreturn 0")
			expectFailure(t, res, err, abi.ReasonProtocolViolation, abi.CodeInteractionPending)
		})
	}
}

// A page that cannot be handed over is an answer, and nobody is asked. Where nobody can be shown
// a page, it is cancelled: the owner does not act in a window in which the connector looks on.
func TestNotHandedOver(t *testing.T) {
	t.Parallel()
	success := func(context.Context, abi.Interaction) (abi.InteractionResponse, error) {
		return abi.InteractionResponse{Status: abi.ResponseSuccess}, nil
	}
	for name, c := range map[string]struct {
		asker  Asker
		expect string
		steps  []string
	}{
		"no such page": {onPage{nil, nil}, string(abi.CodeBrowserPageUnknown), []string{"hand over for captcha"}},
		"a terminal":   {answers(success), `"status":"cancelled"`, []string{"asking", "asked"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := &browsing{refuses: abi.NewError(abi.CodeBrowserPageUnknown, "there is no such page", "open one")}
			h := newHost(t, setup{isolation: "process", asker: c.asker, sender: &fakeSender{answer: func(string) string { return "" }}})
			h.deps.Browser, h.deps.Collect = b, func(ctx context.Context, g *plugin.Guest, grant plugin.Grant, host plugin.Host) plugin.Exit {
				exit := g.Collect(ctx, grant, host)
				rested := grant.Rested()
				for began := time.Now(); !time.Now().After(began); { // the clock goes on
				}
				if later := grant.Rested(); later != rested || rested == 0 {
					t.Errorf("got %v and then %v of rest, want it to end with the question", rested, later)
				}
				return exit
			}
			h.runner, h.file = New(h.deps), withBrowser(t, h.file)
			res := h.mustPlay("submit 3 " + askOn + "\nexpect " + c.expect + "\nsubmit 5 {\"do\":\"pages\"}\nexpect \"page\":1" + done(0))
			if res.Status != StatusSucceeded || !slices.Equal(b.steps, c.steps) {
				t.Errorf("got %s %+v and %v, want %v", res.Status, res.Error, b.steps, c.steps)
			}
		})
	}
}

// BR-15: a browser that ends while its page is the owner's is a failure of the browser, and no word of
// the owner's: the run leaves no gap of a question that was cancelled.
func TestBrowserIsLostInTheOwnersHands(t *testing.T) {
	t.Parallel()
	b := &browsing{outcome: handoff.OutcomeLost}
	h := newHost(t, setup{isolation: "process", sender: &fakeSender{answer: func(string) string { return "" }}, asker: onPage{nil, func(handoff.Surface) abi.InteractionResponse {
		return abi.InteractionResponse{Status: abi.ResponseCancelled}
	}}})
	h.deps.Browser = b
	h.runner, h.file = New(h.deps), withBrowser(t, h.file)
	res := h.mustPlay("submit 3 " + askOn + "\nexpect " + string(abi.CodeBrowserClosed) + done(0))
	if res.Status != StatusSucceeded || slices.ContainsFunc(res.KnownGaps, func(g KnownGap) bool { return g.Kind == "interaction" }) {
		t.Errorf("got %s %+v with %+v, want no gap of a question", res.Status, res.Error, res.KnownGaps)
	}
	if want := []string{"hand over for captcha", "asking", "back false", "asked"}; !slices.Equal(b.steps, want) {
		t.Errorf("got %v, want %v", b.steps, want)
	}
	events, err := h.store.Events(t.Context(), res.RunID, 0, 0)
	if err != nil || !slices.ContainsFunc(events, func(e storage.Event) bool {
		return e.Type == "run.browser_lease" && strings.Contains(string(e.Data), `"p1"`)
	}) {
		t.Errorf("got %+v, %v, want the event that the browser was leased", events, err)
	}
}

// BR-13.5: a run that sent a secret of the owner's and was not let in is the owner's to repeat,
// also one whose connector cancels it. Where the connector says that it was let in, nobody is
// held, and nothing is repeated at once.
func TestSubmittedIsHeld(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		sent, in                bool
		done, status, hint      string
		reason                  abi.Reason
		retryable, wasSubmitted bool
	}{
		"cancelled":           {true, false, "cancelled", StatusFailed, "manual_action_required", abi.ReasonConnectorReportedFailed, false, true},
		"failed":              {true, false, "failed", StatusFailed, "manual_action_required", abi.ReasonConnectorReportedFailed, false, true},
		"failed, let in":      {true, true, "failed", StatusFailed, "", abi.ReasonConnectorReportedFailed, false, false},
		"cancelled, let in":   {true, true, "cancelled", StatusCancelled, "", abi.ReasonConnectorReportedCancelled, false, false},
		"cancelled, not sent": {false, false, "cancelled", StatusCancelled, "", abi.ReasonConnectorReportedCancelled, true, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := ending{exit: plugin.Exit{Returned: true}, done: &abi.Done{Status: c.done, Error: &abi.DoneError{Message: "x", Retryable: true}}}.decide()
			(&run{plan: &plan{browsing: &browsing{sent: c.sent, in: c.in}}}).keepSubmitted(&o)
			f := o.failure
			if o.status != c.status || o.reason != c.reason || f.RecoveryHint != c.hint || f.Retryable != c.retryable || f.submitted != c.wasSubmitted {
				t.Errorf("got %s %s %+v, want %+v", o.status, o.reason, f, c)
			}
		})
	}
	o := ending{exit: plugin.Exit{}, cause: abi.NewError(abi.CodeInterrupted, "x", "")}.decide()
	(&run{plan: &plan{browsing: &browsing{sent: true}}}).keepSubmitted(&o)
	if o.status != StatusFailed || o.failure.Retryable || !o.failure.submitted || o.failure.RecoveryHint != "manual_action_required" {
		t.Errorf("interrupted: got %s %+v, want it held for its owner", o.status, o.failure)
	}
}

// A run whose browser's profile is too large waits for its owner, by a reason of its own: the next run
// would end the same way. One whose pages took too much memory is tried again (BR-16, BR-18.1).
func TestALargeProfileWaitsForItsOwner(t *testing.T) {
	t.Parallel()
	f := browserFailure(abi.NewError(abi.CodeBrowserProfileLarge, "too much", "sign out"))
	if f.Code != string(abi.CodeBrowserProfileLarge) || f.Retryable || f.RecoveryHint != "manual_action_required" || f.Hint != "sign out" {
		t.Errorf("too large: got %+v, want it left to its owner", f)
	}
	if f := browserFailure(abi.NewError(abi.CodeBrowserMemory, "too much", "")); !f.Retryable || f.RecoveryHint != "" {
		t.Errorf("memory: got %+v, want another run", f)
	}
}
