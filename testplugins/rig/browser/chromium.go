package browser

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-rod/rod"
	"go.uber.org/goleak"
)

// Required is the environment variable that makes a missing Chromium fail the tests:
// "required". Else they are left out, and say so.
const Required = "PDPP_TEST_BROWSER"

// Find returns the path of the Chromium to drive.
func Find(t testing.TB) string {
	t.Helper()
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome-stable", "google-chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	if os.Getenv(Required) == "required" {
		t.Fatalf("%s=required, and there is no chromium on the PATH", Required)
	}
	t.Skip("NOT TESTED IN A BROWSER: no chromium is on the PATH; install it (Debian: apt-get install chromium)")
	return ""
}

// Rebound is a name that this machine's Chromium, and nothing else, takes for this machine.
const Rebound = "rebound.example"

// chromium is the process that all tests share.
type chromium struct {
	dir     string
	inform  *os.File // the watchdog ends the browser when this end of the pipe closes
	ended   chan struct{}
	drive   *rod.Browser
	cut     context.CancelFunc
	refuses *Proxy // of the process itself
}

var shared struct {
	once sync.Once
	c    *chromium
	err  error
}

// watchdog starts the browser and waits for the end of its input, which is the end of the
// test process, whatever ended that.
const watchdog = `dir=$1; shift
"$@" </dev/null >"$dir/log" 2>&1 &
read -r _
kill -TERM $!
wait
rm -rf "$dir"`

func start(path string) (*chromium, error) {
	dir, err := os.MkdirTemp("", "pdpp-chromium-")
	if err != nil {
		return nil, err
	}
	c := &chromium{dir: dir, ended: make(chan struct{})}
	if c.refuses, err = NewProxy(); err != nil {
		return nil, err
	}
	in, out, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	args := []string{
		"-c", watchdog, "watchdog", dir, path, "--headless=new", "--remote-debugging-port=0", "--user-data-dir=" + dir,
		"--proxy-server=" + c.refuses.Address(), "--proxy-bypass-list=<-loopback>", "--host-resolver-rules=MAP " + Rebound + " 127.0.0.1",
		"--disable-gpu", "--disable-quic", "--no-first-run", "--no-default-browser-check", "--disable-background-networking", "--disable-component-update",
		"--disable-sync", "--disable-default-apps", "--disable-extensions", "--disable-domain-reliability", "--disable-breakpad", "--metrics-recording-only",
		"--password-store=basic", "--disable-dev-shm-usage", "--disable-background-timer-throttling", "--disable-backgrounding-occluded-windows",
		"--disable-renderer-backgrounding", "--disable-features=Translate,OptimizationHints,MediaRouter,DialMediaRouteProvider,PasswordLeakDetection,AutofillServerCommunication",
		"--lang=en-GB", "--force-color-profile=srgb", "--hide-scrollbars",
	}
	if os.Geteuid() == 0 {
		args = append(args, "--no-sandbox") // it refuses root, and every page here is the test's own
	}
	run := exec.Command("/bin/sh", append(args, "about:blank")...) //nolint:noctx,gosec // lives as long as the process
	run.Stdin = in
	if err := run.Start(); err != nil {
		return nil, err
	}
	c.inform = out
	go func() {
		_ = run.Wait() // it was told to end
		close(c.ended)
	}()
	return c, errors.Join(in.Close(), c.connect())
}

// connect waits until the browser says where it is driven from.
func (c *chromium) connect() error {
	deadline := time.Now().Add(time.Minute)
	for {
		text, err := os.ReadFile(filepath.Join(c.dir, "DevToolsActivePort"))
		if port, path, ok := strings.Cut(strings.TrimSpace(string(text)), "\n"); err == nil && ok {
			var ctx context.Context
			ctx, c.cut = context.WithCancel(context.Background())
			c.drive = rod.New().Context(ctx).ControlURL("ws://127.0.0.1:" + port + path).NoDefaultDevice()
			return c.drive.Connect()
		}
		if time.Now().After(deadline) {
			log, _ := os.ReadFile(filepath.Join(c.dir, "log"))
			return fmt.Errorf("chromium does not start: %s", log)
		}
		time.Sleep(20 * time.Millisecond)
	}
}

func running(t testing.TB) *chromium {
	t.Helper()
	path := Find(t)
	shared.once.Do(func() { shared.c, shared.err = start(path) })
	if shared.err != nil {
		t.Fatal(shared.err)
	}
	return shared.c
}

// Close ends the browser, where a test has started it. No test may be running.
func Close() {
	c := shared.c
	if c == nil {
		return
	}
	if c.cut != nil {
		_ = c.drive.Close() // the watchdog ends it otherwise
		c.cut()
	}
	_ = c.inform.Close()
	<-c.ended
	c.refuses.Close()
}

// Main is the TestMain of a package whose tests use a browser: it runs them, ends the browser,
// cleans up, and looks for goroutines that were left behind.
func Main(m *testing.M, clean ...func()) {
	code := m.Run()
	Close()
	for _, f := range clean {
		f()
	}
	if code == 0 {
		if err := goleak.Find(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			code = 1
		}
	}
	os.Exit(code)
}
