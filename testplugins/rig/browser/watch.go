package browser

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/go-rod/rod/lib/proto"
)

// trouble is what went wrong on a page. It is safe for concurrent use.
type trouble struct {
	mu     sync.Mutex
	list   []string
	loaded int
	expect []int    // statuses of documents, one for each that may come
	lost   bool     // the host may be away
	takes  []string // texts that may be on the console
}

func (w *trouble) add(format string, a ...any) {
	w.mu.Lock()
	defer w.mu.Unlock()
	text := fmt.Sprintf(format, a...)
	if slices.ContainsFunc(w.takes, func(t string) bool { return strings.Contains(text, t) }) {
		return
	}
	if len(text) > 2000 {
		text = text[:2000]
	}
	w.list = append(w.list, text)
}

func (w *trouble) all() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Clone(w.list)
}

func (w *trouble) loads() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.loaded
}

// expected reports whether a document of that status was to come.
func (w *trouble) expected(status int) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	i := slices.Index(w.expect, status)
	if i >= 0 {
		w.expect = slices.Delete(w.expect, i, i+1)
	}
	return i >= 0
}

func (w *trouble) away() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.lost
}

// Refused says that a document of that status is to come: a page that refuses.
func (p *Page) Refused(status int) {
	p.trouble.mu.Lock()
	defer p.trouble.mu.Unlock()
	p.trouble.expect = append(p.trouble.expect, status)
}

// Away says whether the host may be away, so that requests fail.
func (p *Page) Away(is bool) {
	p.trouble.mu.Lock()
	defer p.trouble.mu.Unlock()
	p.trouble.lost = is
}

// Takes says that trouble that holds a text was meant.
func (p *Page) Takes(text string) {
	p.trouble.mu.Lock()
	defer p.trouble.mu.Unlock()
	p.trouble.takes = append(p.trouble.takes, text)
}

// Trouble returns what went wrong so far, and takes it as meant.
func (p *Page) Trouble() []string {
	p.trouble.mu.Lock()
	defer p.trouble.mu.Unlock()
	list := p.trouble.list
	p.trouble.list = nil
	return list
}

// watch keeps what goes wrong, until the page's context ends. It returns what waits for that.
func (p *Page) watch() (wait func()) {
	w := p.trouble
	addresses := map[proto.NetworkRequestID]string{}
	for _, on := range []interface{ Call(c proto.Client) error }{proto.PageEnable{}, proto.RuntimeEnable{}, proto.NetworkEnable{}, proto.LogEnable{}, proto.AuditsEnable{}} {
		p.must(on.Call(p.p))
	}
	loop := p.p.EachEvent(
		func(*proto.PageLoadEventFired) {
			w.mu.Lock()
			defer w.mu.Unlock()
			w.loaded++
		},
		func(e *proto.PageJavascriptDialogOpening) { w.add("opened a dialog: %s", e.Message) },
		func(e *proto.RuntimeExceptionThrown) { w.add("threw: %s", (&thrown{e.ExceptionDetails}).Error()) },
		func(e *proto.RuntimeConsoleAPICalled) {
			switch e.Type {
			case proto.RuntimeConsoleAPICalledTypeError, proto.RuntimeConsoleAPICalledTypeAssert, proto.RuntimeConsoleAPICalledTypeWarning:
				var said []string
				for _, a := range e.Args {
					said = append(said, a.Value.String()+a.Description)
				}
				w.add("wrote to the console: %s", strings.Join(said, " "))
			}
		},
		func(e *proto.LogEntryAdded) {
			if e.Entry.Level == proto.LogLogEntryLevelError && e.Entry.Source != proto.LogLogEntrySourceNetwork {
				w.add("logged: %s (%s)", e.Entry.Text, e.Entry.URL)
			}
		},
		func(e *proto.AuditsIssueAdded) {
			switch e.Issue.Code {
			case proto.AuditsInspectorIssueCodeContentSecurityPolicyIssue:
				if d := e.Issue.Details.ContentSecurityPolicyIssueDetails; d != nil {
					w.add("is against its policy: %s %s", d.ViolatedDirective, d.BlockedURL)
				}
			case proto.AuditsInspectorIssueCodeMixedContentIssue, proto.AuditsInspectorIssueCodeCookieIssue:
				w.add("has an issue: %s", e.Issue.Code)
			}
		},
		func(e *proto.NetworkRequestWillBeSent) {
			addresses[e.RequestID] = e.Request.URL
			if !p.v.reaches(e.Request.URL) {
				w.add("asks for what is not this host's: %s", e.Request.URL)
			}
		},
		func(e *proto.NetworkResponseReceived) {
			document := e.Type == proto.NetworkResourceTypeDocument
			if e.Response.Status >= 400 && (!document || !w.expected(e.Response.Status)) && !w.away() {
				w.add("was answered %d by %s", e.Response.Status, e.Response.URL)
			}
		},
		func(e *proto.NetworkLoadingFailed) {
			if !e.Canceled && e.ErrorText != "net::ERR_ABORTED" && !w.away() {
				w.add("could not load %s: %s %s", addresses[e.RequestID], e.ErrorText, e.BlockedReason)
			}
		},
	)
	done := make(chan struct{})
	go func() {
		defer close(done)
		loop()
	}()
	return func() { <-done }
}
