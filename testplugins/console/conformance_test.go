package console

import (
	"flag"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var withConformance = flag.Bool("conformance", false, "run the conformance suite of MCP, which npm has")

// The suite as npm has it, and a runtime that is new enough for it. Neither is part of this tree.
const (
	conformanceSuite   = "@modelcontextprotocol/conformance"
	conformanceVersion = "0.1.16"
	conformanceRuntime = "node@22.23.3"
)

// applicable are the scenarios for a server whose tools are its own. The others call tools, prompts and
// resources of the suite's own server by their names.
var applicable = []string{"server-initialize", "ping", "tools-list", "dns-rebinding-protection"}

// The official conformance suite of MCP finds nothing wrong with a host that serves, as an app under a grant
// sees it.
func TestConformance(t *testing.T) {
	t.Parallel()
	if !*withConformance {
		t.Skip("make conformance runs it")
	}
	modules := installed(t, conformanceSuite, conformanceVersion, conformanceRuntime)
	w := &world{owner: collected(t)}
	w.cookie = w.owner.Claim()
	at := bearing(t, w.owner.Origin(), w.granted(t))
	for _, scenario := range applicable {
		t.Run(scenario, func(t *testing.T) {
			t.Parallel()
			suite := exec.CommandContext(t.Context(), filepath.Join(modules, "node", "bin", "node"), filepath.Join(modules, conformanceSuite, "dist", "index.js"), //nolint:gosec // pinned
				"server", "--url", at+"/mcp", "--scenario", scenario)
			suite.Dir = t.TempDir()
			said, err := suite.CombinedOutput()
			if err != nil || !regexp.MustCompile(`Passed: [1-9]\d*/\d+, 0 failed, 0 warnings`).Match(said) {
				t.Errorf("got %v and %s, want all checks passed", err, said)
			}
		})
	}
}

// bearing returns the address of a proxy that sends a token along, as the suite does not. It changes no Host
// but its own.
func bearing(t *testing.T, origin, token string) string {
	t.Helper()
	to, err := url.Parse(origin)
	if err != nil {
		t.Fatal(err)
	}
	s := httptest.NewServer(nil)
	t.Cleanup(s.Close)
	own := strings.TrimPrefix(s.URL, "http://")
	s.Config.Handler = &httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) {
		r.Out.URL.Scheme, r.Out.URL.Host = to.Scheme, to.Host
		if r.Out.Host = r.In.Host; r.In.Host == own {
			r.Out.Host = to.Host
		}
		if r.In.Header.Get("Origin") == s.URL {
			r.Out.Header.Set("Origin", origin)
		}
		r.Out.Header.Set("Authorization", "Bearer "+token)
	}}
	return s.URL
}

// granted returns the token of an app that reads a stream.
func (w *world) granted(t *testing.T) string {
	t.Helper()
	var asking struct {
		Requests []struct {
			ID string `json:"request_id"`
		}
	}
	w.program(t, "/oauth/par", `{"client_id":"pdpp_cli","authorization_details":[{"type":"https://pdpp.dev/data-access","source":{"id":"https://github.com/pdpp-host/pdpp-host/connectors/github"},`+
		`"access_mode":"continuous","purpose_code":"https://example.org/why","streams":[{"name":"repositories"}]}]}`, &struct{}{})
	w.owner.Asks(0, &asking, "grants", "requests")
	var reviewed struct {
		Revision string `json:"approval_review_revision"`
	}
	w.owner.Asks(0, &reviewed, "grants", "review", asking.Requests[0].ID)
	out, err := w.owner.Command("grants", "approve", asking.Requests[0].ID, "--revision", reviewed.Revision).Output()
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(out))
}
