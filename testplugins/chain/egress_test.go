package chain

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/pdpp-host/pdpp-host/testplugins/providers/fault"
)

// A provider's redirect elsewhere (to this machine, to the metadata service of a cloud,
// or to another host) is not followed. Nothing is sent there, not even without the
// secret, and the ledger of destinations lists no other host.
func TestRedirectsLeadNowhere(t *testing.T) {
	t.Parallel()
	var elsewhere atomic.Int64
	other := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { elsewhere.Add(1) }))
	defer other.Close()
	t.Cleanup(func() {
		if n := elsewhere.Load(); n > 0 {
			t.Errorf("%d requests went elsewhere, want 0", n)
		}
	})
	_, port, _ := strings.Cut(strings.TrimPrefix(other.URL, "http://"), ":")
	t.Run("each", func(t *testing.T) {
		t.Parallel()
		for _, name := range append([]string{"jellyfin"}, connectors...) {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				alike(t, name)
				s := served(t, name, 2)
				o := newOwner(t, s.Handler, s.Variables)
				for i, target := range []string{
					"http://127.0.0.1:" + port, "http://localhost:" + port, "http://0.0.0.0:" + port, "http://[::1]:" + port, "http://2130706433:" + port,
					"http://169.254.169.254/latest/meta-data", "https://169.254.169.254/", "https://attacker.example/", "file:///etc/passwd", "//attacker.example/",
				} {
					s.Faults.Clear()
					s.Faults.Add(always(fault.Status([]int{http.StatusFound, http.StatusTemporaryRedirect}[i%2], "", "Location", target)))
					r := o.runs(4, name, "--force")
					if r.Error == nil || r.Status != "failed" {
						t.Errorf("%s: %+v, want Error not nil and Status = failed", target, r)
					}
				}
				var shown struct {
					Destinations []struct{ Host string } `json:"destinations"`
				}
				o.asks(0, &shown, "connections", "show", name)
				if len(shown.Destinations) != 1 || shown.Destinations[0].Host != strings.TrimPrefix(o.url, "http://") && shown.Destinations[0].Host != "127.0.0.1" {
					t.Errorf("destinations %v, want the provider alone", shown.Destinations)
				}
				s.Faults.Clear()
				o.runs(0, name, "--force")
			})
		}
	})
}

// A link to the next page on another host is not followed either, and the run reports
// that it did not collect the page.
func TestLinksLeadNowhere(t *testing.T) {
	t.Parallel()
	var elsewhere atomic.Int64
	other := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { elsewhere.Add(1) }))
	defer other.Close()
	for _, name := range []string{"github", "spotify"} {
		s := served(t, name, 120)
		o := newOwner(t, s.Handler, s.Variables)
		from := strings.TrimPrefix(o.url, "http://")
		s.Faults.Add(always(func(e *fault.Env, w http.ResponseWriter, r *http.Request, next http.Handler) {
			fault.Replace(`"next":"http://`+from, `"next":"`+other.URL)(e, linked{w, from, strings.TrimPrefix(other.URL, "http://")}, r, next)
		}))
		r := o.runs(4, name)
		if r.Error == nil || elsewhere.Load() > 0 {
			t.Errorf("%s: %d requests went elsewhere, %+v, want Error not nil and elsewhere.Load() = 0", name, elsewhere.Load(), r.Error)
		}
		if text := fmt.Sprint(r.Error); strings.Contains(text, token) {
			t.Errorf("%v, want no %v in it", text, token)
		}
	}
}

// linked changes the Link header.
type linked struct {
	http.ResponseWriter

	from, to string
}

// WriteHeader implements http.ResponseWriter.
func (l linked) WriteHeader(status int) {
	if link := l.Header().Get("Link"); link != "" {
		l.Header().Set("Link", strings.ReplaceAll(link, l.from, l.to))
	}
	l.ResponseWriter.WriteHeader(status)
}
