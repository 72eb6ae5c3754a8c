package console_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/pdpp-host/pdpp-host/abi/device"
	"github.com/pdpp-host/pdpp-host/storage"
)

// RD-55: a connection gets another name on a page of its own, also one that a device feeds, whose
// module this host does not have.
func TestRenameOfWhatADeviceFeeds(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	code := device.SecretHash("code")
	err := b.Store.NewEnrollmentCode(t.Context(), storage.EnrollmentCode{CodeHash: code, ConnectorID: "elsewhere", Binding: "laptop", ExpiresAt: time.Now().Add(time.Hour)})
	if err != nil {
		t.Fatal(err)
	}
	src, err := b.Store.Enroll(t.Context(), storage.Enrolling{CodeHash: code, TokenHash: device.SecretHash("token"), Label: "laptop"})
	if err != nil {
		t.Fatal(err)
	}
	was, err := b.Store.Connection(t.Context(), src.ConnectionID)
	if err != nil {
		t.Fatal(err)
	}
	at := "/connections/" + url.PathEscape(was.Name)
	page := b.get(at)
	if link := `href="` + at + `/name"`; page.status != http.StatusOK || !strings.Contains(page.body, link) || strings.Contains(page.body, at+"/settings") {
		t.Errorf("got %d, want a page with %s and without its settings: %s", page.status, link, problem(page.body))
	}
	form := b.get(at + "/name")
	if form.status != http.StatusOK {
		t.Fatalf("got %d, want the form: %s", form.status, problem(form.body))
	}
	seen := url.Values{"name": {"../x"}, "if": {hiddenIn(form.body, "if")}}
	if a := b.ask(http.MethodPost, at+"/name", seen, nil); a.status != http.StatusConflict || problem(a.body) == "" {
		t.Errorf("no name: got %d, want %d with why: %s", a.status, http.StatusConflict, problem(a.body))
	}
	seen.Set("name", "renamed")
	a := b.done(at+"/name", seen, "/connections/renamed")
	if got := b.get(a.to); got.status != http.StatusOK || !strings.Contains(got.body, "has its new name") {
		t.Errorf("got %d, want the page that says that it has its new name", got.status)
	}
	if a := b.ask(http.MethodPost, "/connections/renamed/name", seen, nil); a.status != http.StatusPreconditionFailed {
		t.Errorf("from a form of before: got %d, want %d", a.status, http.StatusPreconditionFailed)
	}
}
