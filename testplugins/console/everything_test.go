package console

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/pdpp-host/pdpp-host/abi/device"
	"github.com/pdpp-host/pdpp-host/testplugins/rig/bed"
	"github.com/pdpp-host/pdpp-host/testplugins/rig/browser"
	"github.com/pdpp-host/pdpp-host/testplugins/rig/described/whole"
)

// mark is a shorter evil, for what takes less text.
const mark = `<img src=x onerror=window.harmed=1>`

// world is an owner who has something on every page.
type world struct {
	owner  *bed.Owner
	cookie *http.Cookie
	pages  []string
}

// everything returns a host that serves, with runs that succeeded, failed and go on, records, a
// question, a device, a channel and a token, each of them as hostile as it gets.
func everything(t *testing.T) *world {
	t.Helper()
	owner := collected(t)
	owner.Install("scripted", hostile(t))
	if err := os.MkdirAll(filepath.Join(owner.Home, ".scripted"), 0o700); err != nil {
		t.Fatal(err)
	}
	owner.Says(4, "run", "scripted", "--no-input", "--accept", "--set", "script="+script())
	question := `submit 3 {"type":"INTERACTION","request_id":"q","kind":"otp","timeout_seconds":3600,"message":` + quoted(evil) + `}`
	owner.Says(0, "connections", "add", "asking", "scripted", "--accept", "--set", "script=records notes 0 9\n"+question)
	service := owner.Provider(http.NotFoundHandler())
	owner.Tells(service+"/hook", 0, "notifications", "add", "--service", "--name", mark)
	owner.Says(0, "tokens", "create", mark, "--scope", "read")
	w := &world{owner: owner, cookie: owner.Claim()}
	enrolled := w.enrol(t)
	run, _, _ := strings.Cut(w.posts("/connections/asking/run"), "?")
	w.waits(t)
	var asked struct {
		Questions []struct{ ID string }
	}
	owner.Asks(0, &asked, "questions")
	var runs struct {
		Runs []struct {
			ID string `json:"run_id"`
		}
	}
	owner.Asks(0, &runs, "runs", "list")
	w.pages = []string{
		"/", "/?name=" + url.QueryEscape(evil), "/add", "/add/scripted", "/connections/github", "/connections/claude_code", "/connections/scripted", "/connections/asking",
		"/connections/github/credentials", "/connections/github/settings", "/connections/github/name", "/connections/github/files", "/connections/scripted/module", "/connections/scripted/remove", "/connections/asking/first",
		"/runs", "/runs?connection=scripted", run,
		"/data", "/data/search", "/data/search?q=" + url.QueryEscape(evil), "/data/search?q=repository", "/data/github/repositories", "/data/scripted/notes",
		"/data/scripted/notes?field=id&value=" + url.QueryEscape(evil), "/data/scripted/notes/record?key=" + url.QueryEscape(evil), "/data/scripted/notes/record?key=big",
		"/questions", "/questions/" + asked.Questions[0].ID, "/connectors", "/connectors/of/scripted", "/connectors/of/scripted/accept",
		"/devices", "/devices/invite", "/devices/of/" + enrolled, "/notifications", "/audit", "/audit?outcome=refused", "/settings", "/settings/made?hours=720", "/prove?next=/settings",
	}
	w.pages = append(w.pages, w.apps(t)...)
	for _, r := range runs.Runs {
		w.pages = append(w.pages, "/runs/"+r.ID)
	}
	return w
}

// apps has apps with hostile words ask, one of them get something, and returns their pages.
func (w *world) apps(t *testing.T) []string {
	t.Helper()
	details := `[{"type":"https://pdpp.dev/data-access","source":{"id":"https://github.com/pdpp-host/pdpp-host/connectors/github"},"access_mode":"continuous",` +
		`"purpose_code":"https://example.org/` + mark + `","purpose_description":` + quoted(mark) + `,"client_claims":{"commitments":[` + quoted(mark) + `]},` +
		`"retention":{"max_duration":"P90D","on_expiry":"delete"},"streams":[{"name":"repositories"},{"name":"issues","necessity":"optional"}]}]`
	details = strings.ReplaceAll(details, "example.org/"+mark, "example.org/%3Cimg%20src=x%3E")
	var pushed struct {
		URI string `json:"request_uri"`
	}
	w.program(t, "/oauth/par", `{"client_id":"pdpp_cli","client_display":`+quoted(mark)+`,"authorization_details":`+details+`}`, &pushed)
	const home = `"http://127.0.0.1/back"`
	var local struct {
		ID string `json:"client_id"`
	}
	w.program(t, "/oauth/register", `{"client_name":`+quoted(mark)+`,"redirect_uris":[`+home+`]}`, &local)
	w.program(t, "/oauth/par", `{"client_id":`+quoted(local.ID)+`,"client_display":"An app","redirect_uri":`+home+`,"response_type":"code","code_challenge_method":"S256","code_challenge":`+
		quoted(strings.Repeat("c", 43))+`,"authorization_details":`+details+`}`, new(any))
	var attempt struct {
		ID string `json:"id"`
	}
	resource := `{"resource":` + quoted(w.owner.Origin())
	w.program(t, "/agent-connect", resource+`,"client_id":"pdpp_cli","request_uri":`+quoted(pushed.URI)+`}`, &attempt)
	w.program(t, "/agent-connect", resource+`,"client_name":`+quoted(mark)+`}`, &attempt)
	w.program(t, "/agent-connect", resource+`,"client_name":`+quoted(mark)+`}`, &attempt)
	var asking struct {
		Requests []struct {
			ID   string `json:"request_id"`
			Asks any    `json:"asks"`
		}
	}
	w.owner.Asks(0, &asking, "grants", "requests")
	pages := []string{"/apps", "/device", "/consent/begin?request_uri=" + url.QueryEscape(pushed.URI), "/consent?request_uri=" + url.QueryEscape(pushed.URI)}
	for _, r := range asking.Requests {
		pages = append(pages, "/apps/requests/"+r.ID)
	}
	var reviewed struct {
		Revision string `json:"approval_review_revision"`
	}
	request := asking.Requests[0].ID
	w.owner.Asks(0, &reviewed, "grants", "review", request, "--connection", "scripted", "--stream", "notes")
	var made struct {
		ID string `json:"grant_id"`
	}
	w.owner.Asks(0, &made, "grants", "approve", request, "--revision", reviewed.Revision)
	return append(pages, "/apps/of/"+made.ID)
}

// program sends what a program asks with, and reads the answer.
func (w *world) program(t *testing.T, path, body string, into any) {
	t.Helper()
	w.answered(t, http.StatusCreated, path, body, into)
}

// answered sends what a program does, which is answered with that status.
func (w *world) answered(t *testing.T, status int, path, body string, into any) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, w.owner.Origin()+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	res, err := whole.Transport(t, &http.Transport{DisableKeepAlives: true}).RoundTrip(req)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = res.Body.Close() }()
	text, err := io.ReadAll(res.Body)
	if err != nil || res.StatusCode != status || json.Unmarshal(text, into) != nil {
		t.Fatalf("%s is answered %d %s, %v, want %d", path, res.StatusCode, text, err, status)
	}
}

// posts sends a form of the owner's and returns where it leads.
func (w *world) posts(path string) string {
	got := w.owner.Sends(http.MethodPost, path, url.Values{}, map[string]string{"Cookie": w.cookie.Name + "=" + w.cookie.Value, "Sec-Fetch-Site": "same-origin"})
	return got.Header.Get("Location")
}

// waits returns once a question waits.
func (w *world) waits(t *testing.T) {
	t.Helper()
	for end := time.Now().Add(browser.Patience); !strings.Contains(w.owner.Says(0, "questions", "--json"), `"open"`); {
		if time.Now().After(end) {
			t.Fatalf("no question waits:\n%s\n%s", w.owner.Says(0, "runs", "show", "last"), w.owner.Log())
		}
	}
}

// enrol has a device with a hostile name enrol, and returns its id.
func (w *world) enrol(t *testing.T) string {
	t.Helper()
	said := w.owner.Says(0, "devices", "invite", "claude_code", "--name", "laptop")
	_, code, _ := strings.Cut(said, device.CodePrefix)
	body, err := json.Marshal(device.EnrollRequest{Code: device.CodePrefix + strings.Fields(code)[0], DeviceLabel: mark, AgentVersion: mark})
	if err != nil {
		t.Fatal(err)
	}
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, w.owner.Origin()+device.PathEnroll, bytes.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set(device.HeaderProtocol, device.ProtocolVersion)
	res, err := whole.Transport(t, &http.Transport{DisableKeepAlives: true}).RoundTrip(req)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = res.Body.Close() }()
	text, err := io.ReadAll(res.Body)
	var enrolled device.Enrollment
	if err != nil || json.Unmarshal(text, &enrolled) != nil || enrolled.DeviceID == "" {
		t.Fatalf("enrolling is answered %d %s, %v, want a device", res.StatusCode, text, err)
	}
	return enrolled.DeviceID
}
