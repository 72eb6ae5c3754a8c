package collector

import (
	"errors"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/abi/device"
	"github.com/pdpp-host/pdpp-host/host/collector/client"
	"github.com/pdpp-host/pdpp-host/host/collector/profile"
)

func enrolling(h *fakeHost) client.EnrollRequest {
	return client.EnrollRequest{
		BaseURL: "http://127.0.0.1:7/", Code: profile.NewToken(" lde_c4n4rycode\n"), Label: "ana's laptop", Queue: "/data/x.sqlite", Transport: h, Now: time.Now,
	}
}

// A code becomes a profile that can be saved, found and used; the host learns the
// device's label under the name that it reads.
func TestEnroll(t *testing.T) {
	t.Parallel()
	h := newFakeHost(t)
	var sent string
	h.fail(func(_ *http.Request, body []byte) (*answer, error) {
		sent = string(body)
		return nil, nil
	})
	p, err := client.Enroll(t.Context(), enrolling(h))
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`"enrollment_code":"lde_c4n4rycode"`, `"device_label":"ana's laptop"`, `"agent_version":"0.0.0+source"`} {
		if !strings.Contains(sent, want) {
			t.Errorf("it sent %s, without %s", sent, want)
		}
	}
	if p.Token.Reveal() != testToken || p.SourceInstanceID != testSource || p.ConnectorInstanceID != "conn_1" || p.BaseURL != "http://127.0.0.1:7" ||
		p.Name != "scripted-src_1" || p.Queue != "/data/x.sqlite" {
		t.Errorf("%+v", p)
	}
	d := &profile.Folder{Dir: filepath.Join(t.TempDir(), "c")}
	if err := d.Save(p); err != nil {
		t.Fatal(err)
	}
	if got, err := d.Find(testSource); err != nil || got.Token.Reveal() != testToken {
		t.Errorf("%v %v", got, err)
	}
}

// A code that is not taken, and an answer that is no enrollment, leave no profile
// and show neither code nor credential.
func TestEnrollRefused(t *testing.T) {
	t.Parallel()
	refusal := func(code string) string {
		return `{"error":{"code":"` + code + `","message":"lde_c4n4rycode ` + code + `"}}`
	}
	for name, tc := range map[string]struct {
		answer answer
		code   abi.Code
	}{
		"used":            {answer{status: 400, body: refusal(device.CodeCodeUsed)}, client.CodeCode},
		"expired":         {answer{status: 410, body: refusal(device.CodeCodeExpired)}, client.CodeCode},
		"raced":           {answer{status: 409, body: refusal(device.CodeCodeRaced)}, client.CodeCode},
		"unknown":         {answer{status: 401, body: refusal(device.CodeUnauthorized)}, client.CodeCode},
		"protocol":        {answer{status: 409, body: refusal(device.CodeProtocolMismatch)}, client.CodeProtocol},
		"too many":        {answer{status: 429, body: refusal("slow_down")}, client.CodePaused},
		"bad":             {answer{status: 400, body: refusal(device.CodeBadRequest)}, client.CodeRefused},
		"nothing":         {answer{status: 201, body: `{}`}, client.CodeAnswer},
		"no token":        {answer{status: 201, body: `{"device_id":"d","source_instance_id":"s","connector_id":"c"}`}, client.CodeAnswer},
		"a line in an id": {answer{status: 201, body: `{"device_id":"d\nX=1","device_token":"t","source_instance_id":"s","connector_id":"c"}`}, client.CodeAnswer},
	} {
		h := newFakeHost(t)
		h.fail(on("/enroll", tc.answer))
		p, err := client.Enroll(t.Context(), enrolling(h))
		if p != nil || abi.CodeOf(err) != tc.code || strings.Contains(everywhere(err), "c4n4ry") {
			t.Errorf("%s: %v, %v", name, p, everywhere(err))
		}
	}
	for _, change := range []func(*client.EnrollRequest){
		func(r *client.EnrollRequest) { r.Code = profile.NewToken(" ") }, func(r *client.EnrollRequest) { r.BaseURL = "http://host.example" },
	} {
		h := newFakeHost(t)
		r := enrolling(h)
		change(&r)
		if _, err := client.Enroll(t.Context(), r); err == nil || len(h.calls) != 0 {
			t.Errorf("%v, %v", err, h.calls)
		}
	}
}

// Logging out asks the host first, and the profile goes only when it confirms.
func TestLogout(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		fault     *answer
		localOnly bool
		fails     bool
	}{
		"confirmed":    {nil, false, false},
		"refused":      {&answer{status: 401}, false, true},
		"unreachable":  {&answer{status: 502}, false, true},
		"ambiguous":    {&answer{status: 200, body: `{}`}, false, true},
		"another's":    {&answer{status: 200, body: `{"device_id":"x","revoked_at":"2026-01-01T00:00:00Z"}`}, false, true},
		"without host": {&answer{status: 502}, true, false},
	} {
		w := newWorld(t)
		d := &profile.Folder{Dir: filepath.Join(t.TempDir(), "c")}
		w.ok(d.Save(w.deps.Profile))
		w.enqueue(1)
		if tc.fault != nil {
			w.host.fail(on("/self-revoke", *tc.fault))
		}
		out, err := w.collector().Logout(t.Context(), d, tc.localOnly)
		_, gone := os.Stat(d.Path(w.deps.Profile.Name))
		if tc.fails != (err != nil) || tc.fails == out.ProfileDeleted || tc.fails == errors.Is(gone, fs.ErrNotExist) {
			t.Errorf("%s: %+v, %v, %v", name, out, err, gone)
		}
		if !tc.fails && tc.localOnly != (out.RevokedAt == nil) || tc.localOnly && len(w.host.calls) > 0 {
			t.Errorf("%s: %+v, %v", name, out, w.host.calls)
		}
		w.same(w.counts().Pending, 2, name+": what waits")
	}
}

func TestLanePath(t *testing.T) {
	t.Parallel()
	env := func(system string, set ...string) profile.Env {
		return profile.Env{Home: "/home/ana", OS: system, Getenv: func(name string) string {
			for i := 0; i < len(set); i += 2 {
				if set[i] == name {
					return set[i+1]
				}
			}
			return ""
		}}
	}
	plain := profile.Profile{ConnectorID: "codex", SourceInstanceID: "src_1"}
	queued := plain
	queued.Queue = "/lanes/q.sqlite"
	for want, tc := range map[string]struct {
		env   profile.Env
		p     profile.Profile
		given string
	}{
		"/home/ana/.local/state/pdpp/collectors/codex-src_1.sqlite":                  {env("linux"), plain, ""},
		"/home/ana/Library/Application Support/pdpp/collectors/codex-src_1.sqlite":   {env("darwin"), plain, ""},
		"/home/ana/AppData/Local/pdpp/collectors/codex-src_1.sqlite":                 {env("windows"), plain, ""},
		"/state/pdpp/collectors/codex-src_1.sqlite":                                  {env("linux", "XDG_STATE_HOME", "/state"), plain, ""},
		"/home/ana/.local/state/pdpp/collectors/collector-runner-queue.src_1.sqlite": {env("linux", "XDG_STATE_HOME", "relative"), profile.Profile{SourceInstanceID: "src_1"}, ""},
		"/lanes/q.sqlite":      {env("linux"), queued, ""},
		"/env/q.sqlite":        {env("linux", profile.EnvQueue, "/env/q.sqlite"), queued, ""},
		"/given/./../q.sqlite": {env("linux", profile.EnvQueue, "/env/q.sqlite"), queued, "/given/./../q.sqlite"},
	} {
		got, err := profile.LanePath(tc.env, &tc.p, tc.given)
		if err != nil || got != filepath.Clean(want) {
			t.Errorf("%s, %v, want %s", got, err, want)
		}
	}
	if _, err := profile.LanePath(profile.Env{}, &plain, ""); abi.CodeOf(err) != profile.CodeUnusable {
		t.Errorf("without a home: %v", err)
	}
	// A host's name for a lane is not a path, and two lanes never share a file.
	seen := map[string]string{}
	for _, id := range []string{"a/b", "a_b", "../a", "..", "", "-a", "a:b", strings.Repeat("x", 60), strings.Repeat("x", 61), strings.Repeat("x", 62)} {
		p := profile.Profile{ConnectorID: "codex", SourceInstanceID: id}
		got, err := profile.LanePath(env("linux"), &p, "")
		if err != nil || filepath.Dir(got) != "/home/ana/.local/state/pdpp/collectors" || seen[got] != "" {
			t.Errorf("%q lies at %s, as %q does, %v", id, got, seen[got], err)
		}
		seen[got] = id + " "
	}
}

// A connector of either program gets neither the credentials of collectors nor what
// they collected, wherever a profile has its outbox.
func TestOwnFolders(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	e := profile.Env{Home: home, OS: "linux"}
	dir, err := profile.FolderOf(e)
	if err != nil {
		t.Fatal(err)
	}
	p := profile.Profile{Name: "mine", BaseURL: "https://host.example", DeviceID: "d", Token: profile.NewToken("t"), ConnectorID: "codex", SourceInstanceID: "src_1", Queue: "/lanes/q.sqlite"}
	if err := dir.Save(&p); err != nil {
		t.Fatal(err)
	}
	got := profile.OwnFolders(e)
	for _, want := range []string{filepath.Join(home, ".config/pdpp/collectors"), filepath.Join(home, ".local/state/pdpp/collectors"), "/lanes/q.sqlite"} {
		if !slices.Contains(got, want) {
			t.Errorf("%v, want %s among them", got, want)
		}
	}
	if got := profile.OwnFolders(profile.Env{}); len(got) != 0 {
		t.Errorf("without a home %v, want none", got)
	}
}

func TestProfilesOf(t *testing.T) {
	t.Parallel()
	for want, set := range map[string]map[string]string{
		"/home/ana/.config/pdpp/collectors": {}, "/config/pdpp/collectors": {"XDG_CONFIG_HOME": "/config"}, "/mine": {profile.EnvProfileDir: "/mine", "XDG_CONFIG_HOME": "/config"},
	} {
		d, err := profile.FolderOf(profile.Env{Home: "/home/ana", Getenv: func(name string) string { return set[name] }})
		if err != nil || d.Dir != want {
			t.Errorf("%v %v, want %s", d, err, want)
		}
	}
	if _, err := profile.FolderOf(profile.Env{}); abi.CodeOf(err) != profile.CodeUnusable {
		t.Errorf("%v", err)
	}
}
