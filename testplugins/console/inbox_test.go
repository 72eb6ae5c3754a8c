package console

import (
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/pdpp-host/pdpp-host/testplugins/rig/browser"
)

// inbox is a webhook on this machine that keeps what it is sent.
type inbox struct {
	url string

	mu   sync.Mutex
	came []string // as they came
}

// newInbox returns an inbox that the host may reach.
func newInbox(h *host) *inbox {
	b := &inbox{}
	b.url = h.Provider(b) + "/hook-7f31c2"
	return b
}

// ServeHTTP keeps a notification.
func (b *inbox) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	var n struct {
		Title   string `json:"title"`
		Message string `json:"message"`
	}
	if err != nil || r.Method != http.MethodPost || json.Unmarshal(body, &n) != nil {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.came = append(b.came, n.Title+": "+n.Message)
}

// about returns what has come that begins with a text.
func (b *inbox) about(begin string) (list []string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, text := range b.came {
		if strings.HasPrefix(text, begin) {
			list = append(list, text)
		}
	}
	return list
}

// awaits waits until something has come that begins with a text.
func (b *inbox) awaits(t *testing.T, begin string) {
	t.Helper()
	for end := time.Now().Add(browser.Patience); len(b.about(begin)) == 0; {
		if time.Now().After(end) {
			t.Fatalf("no notification begins with %q in %s: %q", begin, browser.Patience, b.about(""))
		}
		time.Sleep(20 * time.Millisecond)
	}
}

// tells adds the inbox as a channel on the page of notifications.
func (b *inbox) tells(t *testing.T, p *browser.Page) {
	t.Helper()
	p.Open("/notifications")
	p.Fill("The service's URL", b.url)
	p.Press("Add the service")
	p.See("The channel is added", "webhook at 127.0.0.1")
	if strings.Contains(p.Eval("document.documentElement.outerHTML").Str(), "hook-7f31c2") {
		t.Error("the page shows the channel's address again, want its host alone")
	}
}
