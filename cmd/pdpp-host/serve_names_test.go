package main

import (
	"io"
	"net/http"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/pdpp-host/pdpp-host/abi/device"
	"github.com/pdpp-host/pdpp-host/host/console/assets"
)

// RD-01, RD-01.1, RD-01.2, RD-01.3, RD-01.4, RD-01.5, RD-04.2: a host that serves is one origin. Each
// of its faces answers to its own names, by the one that was asked for, and to no page of somebody
// else's, however the path is spelled, and tells the version under /v1.
func TestServeIsOneOrigin(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("starts a program")
	}
	const token = "pdpp_ot_of-this-test-alone"
	home := t.TempDir()
	storeOf(t, home, token, appsManifest, `{"id":"https://x/y","title":"x"}`, `{"id":"a/../b","title":"x"}`, `{"id":"[\"a\",\"b\"]","title":"x"}`, `{"id":"%","title":"x"}`)
	p := serveIn(t, home, "--listen", "127.0.0.1:0")
	_, port, _ := strings.Cut(p.at, ":")
	client := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	ask := func(method, host, path string, headers ...string) (status int, head http.Header, text string) {
		t.Helper()
		r, err := http.NewRequestWithContext(t.Context(), method, "http://"+p.at+path, strings.NewReader(map[string]string{http.MethodPost: "{}"}[method]))
		if err != nil {
			t.Fatal(err)
		}
		r.Host = host
		r.Header.Set("Authorization", "Bearer "+token)
		r.Header.Set("Content-Type", "application/json")
		for i := 0; i < len(headers); i += 2 {
			r.Header.Set(headers[i], headers[i+1])
		}
		answer, err := client.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = answer.Body.Close() }()
		body, err := io.ReadAll(answer.Body)
		if err != nil {
			t.Fatal(err)
		}
		for name := range answer.Header {
			if strings.HasPrefix(name, "Access-Control-") {
				t.Errorf("%s %s: got the header %s, want none of CORS", method, path, name)
			}
		}
		if strings.HasPrefix(path, "/v1") && answer.Header.Get("Pdpp-Version") != "2026-04-06" {
			t.Errorf("%s %s: got %d of the version %q, want 2026-04-06", method, path, answer.StatusCode, answer.Header.Get("Pdpp-Version"))
		}
		return answer.StatusCode, answer.Header, string(body)
	}
	reads := []string{
		"/", "/sign-in", "/v1/streams", "/v1/streams/notes/records", "/v1/search?q=x", "/v1/owner/status", "/v1/openapi.json", "/v1/nowhere", "/v1", "/v1//streams", "/v1/../v1/streams", "//v1/streams", "/a/../b", "/_ref/device-exportersX/../../v1/streams", "/_ref/device-exporters/../../sign-in",
		"/.well-known/oauth-protected-resource", "/.well-known/oauth-authorization-server", "/oauth/authorize", "/consent/begin?request_uri=x", "/mcp", "/nowhere",
		"/healthz", "/readyz", "/metrics", "/favicon.ico", assets.Path("console.css"), assets.Worker, "/events", "/v1/reference", device.Prefix + "/x/source-instances/y/state", device.Prefix,
	}
	changes := []string{"/v1/owner/connections/mine/run", "/oauth/register", "/oauth/par", "/oauth/token", "/agent-connect", "/agent-connect/poll", "/introspect", "/grants/x/revoke", "/consent/approve", "/mcp"}
	devices := []string{device.PathEnroll, device.Prefix + "/x/ingest-batches", "/sign-in", "/set-up", "/confirm"} // these have no face for programs
	for _, host := range []string{"evil.example", "evil.example:" + port, "127.0.0.1.evil.example:" + port, "127.0.0.1:1"} {
		for _, path := range reads {
			if status, _, text := ask(http.MethodGet, host, path); status != http.StatusMisdirectedRequest || strings.Contains(text, "evil") {
				t.Errorf("%s of %s: got %d %.300s, want 421", path, host, status, text)
			}
		}
		for _, path := range slices.Concat(changes, devices) {
			if status, _, text := ask(http.MethodPost, host, path); status != http.StatusMisdirectedRequest {
				t.Errorf("POST %s of %s: got %d %.300s, want 421", path, host, status, text)
			}
		}
	}
	for _, host := range []string{"localhost:" + port, "127.0.0.1:" + port, "[::1]:" + port} {
		_, _, text := ask(http.MethodGet, host, "/.well-known/oauth-protected-resource", "X-Forwarded-Host", "evil.example", "X-Forwarded-Proto", "https")
		if !strings.Contains(text, `"resource":"http://`+host+`"`) || strings.Count(text, "http://") != strings.Count(text, "http://"+host) || strings.Contains(text, "evil") {
			t.Errorf("%s: got %s, want every address to be of that name", host, text)
		}
		_, head, text := ask(http.MethodGet, host, "/v1/streams", "Authorization", "", "X-Forwarded-Host", "evil.example", "X-Forwarded-Proto", "https")
		if want := "http://" + host + "/.well-known/oauth-protected-resource"; !strings.Contains(text, `"`+want+`"`) || !strings.Contains(head.Get("WWW-Authenticate"), want) {
			t.Errorf("%s: got %v %s, want %s", host, head, text, want)
		}
	}
	own := "127.0.0.1:" + port
	for _, path := range changes {
		if status, _, text := ask(http.MethodPost, own, path, "Origin", "https://evil.example", "Sec-Fetch-Site", "cross-site"); status != http.StatusForbidden {
			t.Errorf("POST %s from another origin: got %d %.300s, want 403", path, status, text)
		}
	}
	for _, path := range []string{"/v1//streams", "/v1/./streams", "/v1/streams/notes/records//", "//"} {
		if status, _, text := ask(http.MethodGet, own, path); status != http.StatusNotFound || !strings.Contains(text, `"not_found"`) {
			t.Errorf("%s: got %d %.300s, want not_found", path, status, text)
		}
	}
	for _, key := range []string{"https%3A%2F%2Fx%2Fy", "a%2F..%2Fb", "%5B%22a%22%2C%22b%22%5D", "%25"} {
		if status, _, text := ask(http.MethodGet, own, "/v1/streams/notes/records/"+key); status != http.StatusOK {
			t.Errorf("the key %s: got %d %.300s, want its record", key, status, text)
		}
	}
	for path, want := range map[string]int{"/v1/streams": http.StatusBadRequest, "/v1/owner/status": http.StatusBadRequest, "/v1/openapi.json": http.StatusBadRequest, "/v1/search?q=x": http.StatusBadRequest} {
		if status, _, text := ask(http.MethodGet, own, path, "PDPP-Version", "2020-01-01"); status != want || !strings.Contains(text, `"unsupported_version"`) {
			t.Errorf("%s in another version: got %d %.300s, want unsupported_version", path, status, text)
		}
		if status, _, text := ask(http.MethodGet, own, path, "PDPP-Version", "2026-04-06"); status != http.StatusOK {
			t.Errorf("%s in this version: got %d %.300s, want it answered", path, status, text)
		}
	}
	for _, path := range []string{"/healthz", assets.Path("console.css"), assets.Worker} {
		if status, _, text := ask(http.MethodGet, own, path); status != http.StatusOK {
			t.Errorf("%s: got %d %.300s, want it answered", path, status, text)
		}
	}
	if status, log := p.end(t); status != 0 {
		t.Errorf("got the status %d and %s, want it to end well", status, log)
	}
}

// OC-03.2: the link of a reset leads to the server that runs, wherever it listens: whoever listens
// where the configuration says is told no code.
func TestAResetLeadsToTheServer(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("starts a program")
	}
	home := t.TempDir()
	p := serveIn(t, home, "--listen", "127.0.0.1:0")
	reset := func() string {
		c := exec.CommandContext(t.Context(), "pdpp-host", "owner", "reset", "--quiet")
		c.Env = p.cmd.Env
		text, err := c.Output()
		if err != nil {
			t.Fatalf("got %v %s, want a link", err, text)
		}
		return string(text)
	}
	want, got := "http://"+p.at+"/set-up?code=", ""
	for began := time.Now(); !strings.HasPrefix(got, want) && time.Since(began) < time.Minute; { // it listens a moment before it has said where
		got = reset()
	}
	if !strings.HasPrefix(got, want) {
		t.Errorf("got %s, want %s", got, want)
	}
	if status, log := p.end(t); status != 0 {
		t.Errorf("got the status %d and %s, want it to end well", status, log)
	}
	if got := reset(); !strings.HasPrefix(got, "ORIGIN/set-up?code=") {
		t.Errorf("got %s, want no address where nothing serves", got)
	}
}
