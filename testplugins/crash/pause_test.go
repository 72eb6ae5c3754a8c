//go:build linux

package crash

import (
	"bytes"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/pdpp-host/pdpp-host/testplugins/providers/fault"
	"github.com/pdpp-host/pdpp-host/testplugins/providers/sample"
	"github.com/pdpp-host/pdpp-host/testplugins/rig/pgtest"
)

// asksForPauses are ways in which a provider asks for a pause of two minutes.
var asksForPauses = map[string]fault.Fault{
	"refuses": fault.Throttle("120"),
	"away":    fault.Status(503, "", "Retry-After", "120"),
	"window":  fault.Header("X-RateLimit-Limit", "2", "X-RateLimit-Remaining", "0", "X-RateLimit-Reset", "120"),
}

// AC-13: a host that dies in a pause which a provider asked for, however it dies, does not ask
// again before the pause is over: neither by hand nor by itself. Its status says until when.
func TestPauseOutlivesItsHost(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("builds the host, and kills it")
	}
	dir := t.TempDir()
	host := build(t, filepath.Join(dir, "pdpp-host"), "cmd/pdpp-host")
	plugins := filepath.Join(dir, "plugins")
	if err := os.Mkdir(plugins, 0o700); err != nil {
		t.Fatal(err)
	}
	build(t, filepath.Join(plugins, "notion.wasm"), "plugins/notion")
	cache := filepath.Join(dir, "cache")
	if err := os.Mkdir(cache, 0o700); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		asks   string
		end    syscall.Signal
		serve  bool
		server bool // the store is on PostgreSQL
	}{
		"a run that is killed":             {"refuses", syscall.SIGKILL, false, false},
		"a run that is terminated":         {"refuses", syscall.SIGTERM, false, false},
		"a run that is interrupted":        {"refuses", syscall.SIGINT, false, false},
		"a server that is stopped":         {"refuses", syscall.SIGTERM, true, false},
		"a server that is killed":          {"away", syscall.SIGKILL, true, false},
		"a run killed while it is away":    {"away", syscall.SIGKILL, false, false},
		"a run killed in a window":         {"window", syscall.SIGKILL, false, false},
		"a run interrupted in a window":    {"window", syscall.SIGINT, false, false},
		"a run killed on PostgreSQL":       {"refuses", syscall.SIGKILL, false, true},
		"a server stopped on PostgreSQL":   {"window", syscall.SIGTERM, true, true},
		"a server stopped while it's away": {"away", syscall.SIGINT, true, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			provider, err := sample.New("notion", sample.Options{Size: 300, Seed: 1, Now: time.Now, Token: "t0ken-of-this-test"})
			if err != nil {
				t.Fatal(err)
			}
			provider.Faults.Add(fault.Rule{Times: -1, Fault: asksForPauses[c.asks]})
			server := httptest.NewServer(provider.Handler)
			defer server.Close()
			p := patient{t: t, host: host, plugins: plugins, data: filepath.Join(t.TempDir(), "data"), env: []string{
				"HOME=" + t.TempDir(), "PATH=" + os.Getenv("PATH"), "PDPP_CREDENTIALS_KEY=file", "NOTION_API_TOKEN=t0ken-of-this-test",
				"PDPP_NETWORK_ALLOW_PRIVATE=" + strings.TrimPrefix(server.URL, "http://"),
			}}
			if c.server {
				p.env = append(p.env, "PDPP_STORAGE_DSN="+pgtest.Database(t, nil))
			}
			if err := os.Mkdir(p.data, 0o700); err != nil {
				t.Fatal(err)
			}
			if err := os.Symlink(cache, filepath.Join(p.data, "cache")); err != nil {
				t.Fatal(err)
			}
			p.says(0, "connections", "add", "mine", "notion", "--accept", "--set", "base_url="+server.URL)
			p.says(0, "connections", "schedule", "mine", "--every", "1h")
			args := []string{"run", "mine", "--no-input"}
			if c.serve {
				args = []string{"serve", "--listen", "127.0.0.1:0"}
			}
			p.dies(c.end, args...)
			asked := provider.Faults.Fired()
			if asked == 0 {
				t.Fatal("the provider was not asked, want it to have asked for a pause")
			}
			if p.until().IsZero() {
				t.Errorf("status does not say until when:\n%s", p.says(-1, "status", "mine", "--detail"))
			}
			if got := p.says(3, "run", "mine", "--no-input"); !strings.Contains(got, "cools down until") {
				t.Errorf("run says\n%s, want that it cools down", got)
			}
			if got := p.says(0, "serve", "--once"); !strings.Contains(got, "skipped") {
				t.Errorf("serve --once says\n%s, want that it is skipped", got)
			}
			if got := provider.Faults.Fired(); got != asked {
				t.Errorf("the provider was asked %d times in the pause, want 0", got-asked)
			}
			p.says(4, "run", "mine", "--no-input", "--force", "--timeout", "2s")
			if provider.Faults.Fired() == asked {
				t.Error("a run that its owner insists on asked nothing, want it to ask")
			}
		})
	}
}

// patient is an owner with a host that has to wait.
type patient struct {
	t                   *testing.T
	host, plugins, data string
	env                 []string
}

func (p *patient) command(args ...string) *exec.Cmd {
	cmd := exec.Command(p.host, append([]string{"--data-dir", p.data, "--plugins", p.plugins}, args...)...)
	cmd.Env = p.env
	return cmd
}

// says runs a command to its end; status -1 is any.
func (p *patient) says(status int, args ...string) string {
	p.t.Helper()
	cmd := p.command(args...)
	out, _ := cmd.CombinedOutput() // the status is looked at
	if got := cmd.ProcessState.ExitCode(); status >= 0 && got != status {
		p.t.Fatalf("%v exits with %d, want %d\n%s", args, got, status, out)
	}
	return string(out)
}

var nextAttempt = regexp.MustCompile(`next attempt +not before (\S+)`)

// until returns until when the connection is in a pause; zero: it is in none.
func (p *patient) until() time.Time {
	p.t.Helper()
	found := nextAttempt.FindStringSubmatch(p.says(-1, "status", "mine", "--detail"))
	if found == nil {
		return time.Time{}
	}
	at, err := time.Parse(time.RFC3339, found[1])
	if err != nil {
		p.t.Fatal(err)
	}
	return at
}

// dies starts a host, and ends it by a signal once its run is in the pause.
func (p *patient) dies(end syscall.Signal, args ...string) {
	p.t.Helper()
	var said bytes.Buffer
	cmd := p.command(args...)
	cmd.Stdout, cmd.Stderr = &said, &said
	if err := cmd.Start(); err != nil {
		p.t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	began := time.Now()
	var until time.Time
	for look := time.NewTicker(20 * time.Millisecond); until.IsZero(); <-look.C {
		select {
		case err := <-ended:
			p.t.Fatalf("the host ended by itself: %v\n%s", err, &said)
		default:
		}
		until = p.until()
	}
	if wait := until.Sub(began); wait < time.Minute || wait > 10*time.Minute {
		p.t.Errorf("the pause goes on until %v from the start, want about two minutes", wait)
	}
	if err := cmd.Process.Signal(end); err != nil {
		p.t.Fatal(err)
	}
	signalled := time.Now()
	<-ended
	if took := time.Since(signalled); took > 20*time.Second {
		p.t.Errorf("the host ended %v after it was told to, want it not to wait for a run that sleeps", took)
	}
}
