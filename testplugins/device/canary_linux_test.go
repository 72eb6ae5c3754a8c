package device

import (
	"bytes"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/pdpp-host/pdpp-host/abi/device"
)

// Invariant 5, LC-07.4, LC-08.5: the device's token and its enrollment code appear in
// nothing that is printed, logged, kept or seen by others, neither when all goes well
// nor when the host's answers repeat them. Every other test checks its own homes and
// outputs for them too.
func TestSecretsAreNowhere(t *testing.T) {
	t.Parallel()
	s, m := newHost(t), newMachine(t)
	fill(t, m.folder, 30, 60_000)
	w := newWay(t, s)
	watched := watch(t)
	code := s.invite("--json")
	l := m.enroll(w.server.URL, code)
	token := m.token(l)
	if strings.Contains(fmt.Sprint(contents(t, m.dir)), code) {
		t.Error("the code is kept on the device")
	}
	kept := 0
	for path, text := range contents(t, s.dir) {
		kept++
		if strings.Contains(text, token) || strings.Contains(text, code) {
			t.Errorf("the host keeps a secret in %s, want no %v in text and no %v in text", path, token, code)
		}
	}
	if kept < 2 || len(s.sql("SELECT 1 FROM devices WHERE token_sha256 = ?", device.SecretHash(token))) != 1 {
		t.Error("the host keeps nothing to know the device by")
	}
	l.runs(done, "--log-level", "debug")
	// An impostor answers in the host's place and repeats the secrets.
	for i, status := range []int{200, 302, 400, 401, 403, 404, 409, 413, 422, 429, 500} {
		if testing.Short() && i%4 != 0 {
			continue
		}
		grow(t, m.folder, 3000+uint64(i), 20_000)
		l.timePasses()
		for _, kind := range []string{ingest, readState, commit, heartbeat} {
			w.addTrouble(trouble{kind: kind, do: echo(status)})
		}
		l.runs([]int{0, 3, 4, 5}, "--log-level", "debug")
		w.clears()
	}
	l.timePasses()
	for _, args := range [][]string{{"status"}, {"doctor"}, {"recover"}, {"retry-dead-letters"}, {"recover", "--apply"}, {"prune-sent"}, {"compact"}} {
		for _, more := range [][]string{{"--json"}, {"--log-level", "debug"}} {
			// That it prints no secret is looked at wherever something is printed.
			if said := m.does("", m.b.collector, append(append(args, more...), l.args...)...); len(said.stdout)+len(said.stderr) == 0 {
				t.Errorf("%v prints nothing, want len(said.stdout)+len(said.stderr) not 0", args)
			}
		}
	}
	// A code that is used again, an invalid code, and a code in the wrong place.
	for _, args := range [][]string{{"enroll", "--base-url", w.server.URL, "--code-stdin"}, {"enroll", "--base-url", "http://host.example", "--code-stdin"}} {
		if m.does(code, m.b.collector, args...).status == 0 {
			t.Errorf("%v: the code was good twice, want m.does(code, m.b.collector, args...).status not 0", args)
		}
	}
	// The token out of the environment, where a worker shall not see it.
	watched.token.Store(&token)
	free := &lane{&machine{&home{t: t, b: m.b, dir: m.dir}, m.folder}, l.source, l.device, l.connectionID, "", nil}
	free.env = append(append(free.env, m.env...),
		"PDPP_REFERENCE_BASE_URL="+w.server.URL, "PDPP_LOCAL_DEVICE_ID="+l.device, "PDPP_LOCAL_DEVICE_TOKEN="+token,
		"PDPP_SOURCE_INSTANCE_ID="+l.source, "PDPP_CONNECTOR_ID=claude_code", "PDPP_LOCAL_COLLECTOR_PROFILE_DIR="+filepath.Join(m.dir, "none"))
	grow(t, m.folder, 3100, 200_000)
	free.drains(4)
	s.holds(l, found(t, m.folder))
	for _, args := range [][]string{{"devices"}, {"devices", "show", l.device}, {"status"}, {"connections", "list"}, {"runs", "list"}, {"doctor"}, {"config", "show"}} {
		s.runCommand(0, append(args, "--json")...)
		s.runCommand(0, args...)
	}
	m.tells0(l, "logout")
	if workers := watched.ends(); workers == 0 {
		t.Error("no worker was looked at")
	}
	// The test finds the secret in its proper place, so the search works.
	if !secret.MatchString(token) || !secret.MatchString(code) || device.TokenPrefix == device.CodePrefix {
		t.Error("the token or the code does not match the pattern that the search uses")
	}
}

func (m *machine) tells0(l *lane, command string) {
	m.t.Helper()
	m.says(0, m.b.collector, append([]string{command}, l.args...)...)
}

// token reads a lane's credential from its proper place.
func (m *machine) token(l *lane) string {
	m.t.Helper()
	for path, text := range contents(m.t, m.dir, ".config") {
		if !strings.Contains(text, l.source) {
			continue
		}
		info, err := os.Stat(filepath.Join(m.dir, path))
		if err != nil || info.Mode().Perm() != 0o600 {
			m.t.Errorf("%s: %v %v, want info.Mode().Perm() = %v", path, info.Mode(), err, 0o600)
		}
		if found := secret.FindAllString(text, -1); len(found) == 1 {
			return found[0]
		}
	}
	m.t.Fatal("there is no token in the profile")
	return ""
}

// echo answers with the credential, wherever an answer has room for it.
func echo(status int) func(http.ResponseWriter, *hop) {
	return func(w http.ResponseWriter, h *hop) {
		whole := h.r.Header.Get("Authorization")
		bare := strings.TrimPrefix(whole, "Bearer ")
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("Location", "/"+bare+"?token="+bare)
		w.Header().Set("X-Request-ID", bare)
		w.Header().Set("WWW-Authenticate", `Bearer realm="`+bare+`"`)
		w.WriteHeader(status)
		fmt.Fprintf(w, `{"object":%q,"status":%q,"error":{"code":%q,"message":%q,"param":%q,"type":%q,"request_id":%q}}`, bare, whole, bare, whole, bare, bare, bare)
	}
}

// watching looks at every process of the machine that it can see.
type watching struct {
	token   atomic.Pointer[string] // the environment of workers is searched, too
	stop    chan struct{}
	over    sync.WaitGroup
	workers int
}

func watch(t *testing.T) *watching {
	t.Helper()
	w := &watching{stop: make(chan struct{})}
	told := map[string]bool{}
	w.over.Go(func() {
		tick := time.NewTicker(3 * time.Millisecond)
		defer tick.Stop()
		for {
			select {
			case <-w.stop:
				return
			case <-tick.C:
			}
			lines, _ := filepath.Glob("/proc/[0-9]*/cmdline")
			for _, path := range lines {
				text, err := os.ReadFile(path)
				if err != nil {
					continue
				}
				if secret.Match(text) && !told[path] {
					told[path] = true
					t.Errorf("%s: a secret is an argument", bytes.ReplaceAll(secret.ReplaceAll(text, nil), []byte{0}, []byte{' '}))
				}
				token := w.token.Load()
				if token == nil || !bytes.Contains(text, []byte("plugin-worker")) {
					continue
				}
				around, err := os.ReadFile(filepath.Join(filepath.Dir(path), "environ"))
				if err != nil {
					continue
				}
				w.workers++
				if bytes.Contains(around, []byte(*token)) && !told[path] {
					told[path] = true
					t.Error("a worker has the token in its environment")
				}
			}
		}
	})
	t.Cleanup(func() { w.ends() })
	return w
}

// ends stops the watch and returns how often a worker was looked at.
func (w *watching) ends() int {
	select {
	case <-w.stop:
	default:
		close(w.stop)
	}
	w.over.Wait()
	return w.workers
}
