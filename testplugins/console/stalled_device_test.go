package console

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/pdpp-host/pdpp-host/abi/device"
	"github.com/pdpp-host/pdpp-host/testplugins/generate/corpus"
	"github.com/pdpp-host/pdpp-host/testplugins/rig/bed"
	"github.com/pdpp-host/pdpp-host/testplugins/rig/browser"
)

// way leads a device to the host. While it refuses, it takes no end of a run.
type way struct {
	url     string
	refuses atomic.Bool
}

func newWay(t *testing.T, h *host) *way {
	t.Helper()
	to, err := url.Parse(h.Origin())
	if err != nil {
		t.Fatal(err)
	}
	w := &way{}
	pass := &httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) { r.SetURL(to) }, Transport: &http.Transport{DisableKeepAlives: true}}
	s := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		if !w.refuses.Load() || !strings.HasSuffix(r.URL.Path, "/terminal-run-commits") {
			pass.ServeHTTP(rw, r)
			return
		}
		rw.Header().Set("Content-Type", "application/json")
		rw.WriteHeader(http.StatusUnprocessableEntity)
		_ = json.NewEncoder(rw).Encode(device.Failure{Error: device.FailureDetail{Code: device.CodeRecordsRejected, Message: "refused", Type: "api_error", RequestID: "req_way"}})
	}))
	t.Cleanup(s.Close)
	w.url = s.URL
	return w
}

// commands are what a page shows to be typed.
func commands(t *testing.T, p *browser.Page) (list []string) {
	t.Helper()
	if err := p.Eval("[...document.querySelectorAll('#device + section pre')].map((e) => e.innerText)").Unmarshal(&list); err != nil {
		t.Fatal(err)
	}
	return list
}

// stalledDevice is the fourth story (OC-17, HL-08.1, HL-08.2, HL-08.3, HL-12.1, HL-12.2, HL-13.1):
// what a device collected does not come in. The overview says how much, and the connection's page what to
// type on the device, and promises nothing that this host could do. Typed there unchanged, it
// puts things right, and the page is quiet again.
func stalledDevice(t *testing.T, h *host) func(t *testing.T) {
	t.Helper()
	return func(t *testing.T) {
		w, m := newWay(t, h), bed.NewMachine(t, "claude_code")
		if _, err := corpus.Write(corpus.Options{Kind: "claude_code", Bytes: 60_000, Dir: m.Folder(".claude"), Seed: 1}); err != nil {
			t.Fatal(err)
		}
		code := regexp.MustCompile(`lde[0-9a-f]{64}`).FindString(h.Says(0, "devices", "invite", "claude_code", "--yes", "--name", "laptop"))
		m.Types("pdpp-local-collector enroll --base-url "+w.url+" --code-stdin --label Laptop", code+"\n", 0)
		m.Types("pdpp-local-collector connectors accept --accept", "", 0)
		w.refuses.Store(true)
		m.Types("pdpp-local-collector run", "", 4)
		var pages []*browser.Page
		for _, o := range tellings {
			pages = append(pages, h.page(t, o))
		}
		var typed []string
		for i, p := range pages {
			p.Open("/")
			p.See("laptop", "1 given up")
			p.Press("Show the steps: laptop")
			p.At("/connections/laptop")
			p.See("The device that collects it", "These commands are for that machine, not for this host:", "Laptop", "given up")
			typed = commands(t, p)
			if i == 0 {
				legible(t, p)
			}
			for what, wrong := range map[string]string{
				"a form that would do the device's part": "document.querySelector('#device + section form, #device + section button, #device + section a') !== null",
				"a run from here":                        "[...document.querySelectorAll('form')].some((f) => f.action.endsWith('/run'))",
				"words that only hovering shows":         "document.querySelector('#device + section [title]:not(time)') !== null",
			} {
				if p.Eval(wrong).Bool() {
					t.Errorf("the page has %s, want none", what)
				}
			}
			if len(typed) != 2 || slices.ContainsFunc(typed, func(c string) bool {
				return strings.Contains(c, "://") || strings.ContainsAny(c, "/") || !strings.HasPrefix(c, "pdpp-local-collector ")
			}) {
				t.Fatalf("the commands are %q, want two of the collector's, without an address or a path", typed)
			}
		}
		w.refuses.Store(false)
		for _, command := range typed {
			m.Types(command, "", 0)
		}
		for i, p := range pages {
			comes(p, tellings[i], "Healthy")
			p.Gone("given up")
			if left := commands(t, p); len(left) > 0 {
				t.Errorf("a device that delivers: the page shows %q, want no command", left)
			}
			p.Open("/")
			p.See("laptop")
			p.Gone("given up")
		}
	}
}
