package launch

import (
	"os"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/pdpp-host/pdpp-host/abi"
)

// The whole command line: a change of it is seen here. Nothing opens a port or lets another
// program attach (BR-01.2, RT-02), and no option but these adds a flag (BR-01.3).
func TestCommandLine(t *testing.T) {
	t.Parallel()
	o := Options{Program: "/usr/lib/chromium/chromium", Folder: "/home/ana/.pdpp/profiles/shop", Temp: "/tmp/run", Proxy: "127.0.0.1:4711", Stored: 5 << 20}
	want := strings.Fields(`--headless=new --remote-debugging-pipe --user-data-dir=/home/ana/.pdpp/profiles/shop
		--proxy-server=http://127.0.0.1:4711 --proxy-bypass-list=<-loopback> --disable-quic
		--webrtc-ip-handling-policy=disable_non_proxied_udp`)
	want = append(want, "--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1")
	want = append(want, strings.Fields(`--no-startup-window --no-first-run --no-default-browser-check
		--disable-background-networking --disable-breakpad --disable-component-update --disable-default-apps --disable-dev-shm-usage
		--disable-domain-reliability --disable-extensions
		--disable-features=AutofillServerCommunication,BackForwardCache,CertificateTransparencyComponentUpdater,DestroyProfileOnBrowserClose,DialMediaRouteProvider,InterestFeedContentSuggestions,MediaRouter,OptimizationHints,PasswordLeakDetection,Translate
		--disable-sync --disk-cache-size=33554432 --enable-features=StorageQuotaSettings:PoolSizeBytes/5242880 --metrics-recording-only --password-store=basic --use-mock-keychain`)...)
	got := o.arguments()
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	refused := regexp.MustCompile(`(?i)remote-debugging-(port|address)|remote-allow-origins|no-sandbox|enable-automation`)
	for _, a := range got {
		if refused.MatchString(a) {
			t.Errorf("got %s, want nothing of the kind", a)
		}
	}
	const known = 11 // the fields of Options, of which those below and the display add to the command line
	if n := reflect.TypeFor[Options]().NumField(); n != known {
		t.Errorf("got %d options, want the %d that this test knows", n, known)
	}
	for flag, set := range map[string]func(*Options){
		"--no-sandbox":       func(o *Options) { o.Unsandboxed = true },
		"--user-agent=Own/1": func(o *Options) { o.Agent = "Own/1" },
		"--disable-blink-features=AutomationControlled": func(o *Options) { o.Unmarked = true },
	} {
		asked := o
		set(&asked)
		if got := asked.arguments(); !slices.Equal(got, append(slices.Clip(want), flag)) {
			t.Errorf("got %v behind the others, want %s alone", got[len(want):], flag)
		}
	}
}

// The environment is made from nothing (BR-01.4).
func TestEnvironment(t *testing.T) {
	t.Parallel()
	o := Options{Folder: "/profiles/shop", Temp: "/tmp/run"}
	if got, want := o.environment(), []string{"HOME=/profiles/shop", "TMPDIR=/tmp/run", "LANG=C.UTF-8"}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	o.Lang = "de_CH.UTF-8"
	if got := o.environment()[2]; got != "LANG=de_CH.UTF-8" {
		t.Errorf("got %s, want the owner's language", got)
	}
}

// A browser with a window has the owner's screen, and nothing else of the environment (BR-01.4).
func TestDisplay(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		system string
		env    map[string]string
		want   []string // of the environment and the command line; nil: there is no screen
	}{
		"X":          {"linux", map[string]string{"DISPLAY": ":1", "HOME": "/home/ana", "WAYLAND_DISPLAY": "w"}, []string{"DISPLAY=:1", "XAUTHORITY=/home/ana/.Xauthority", "--ozone-platform=x11"}},
		"authority":  {"linux", map[string]string{"DISPLAY": ":1", "XAUTHORITY": "/run/x"}, []string{"DISPLAY=:1", "XAUTHORITY=/run/x", "--ozone-platform=x11"}},
		"Wayland":    {"linux", map[string]string{"WAYLAND_DISPLAY": "wayland-0", "XDG_RUNTIME_DIR": "/run/user/7"}, []string{"WAYLAND_DISPLAY=/run/user/7/wayland-0", "--ozone-platform=wayland"}},
		"no folder":  {"linux", map[string]string{"WAYLAND_DISPLAY": "wayland-0"}, nil},
		"nothing":    {"linux", nil, nil},
		"macOS":      {"darwin", nil, []string{}},
		"no browser": {"windows", map[string]string{"DISPLAY": ":1"}, nil},
	} {
		d := displayOn(c.system, func(name string) string { return c.env[name] })
		if (d == nil) != (c.want == nil) {
			t.Errorf("%s: got %+v, want a screen: %v", name, d, c.want != nil)
		}
		if d == nil {
			continue
		}
		o := Options{Display: d}
		if got := append(o.environment()[3:], d.arguments()...); !slices.Equal(got, c.want) || slices.Contains(o.arguments(), "--headless=new") {
			t.Errorf("%s: got %v in %v, want %v and a window", name, got, o.arguments(), c.want)
		}
	}
}

// Each reason has its code, and what the program said last stands beside it (BR-02.3, BR-05).
func TestReason(t *testing.T) {
	t.Parallel()
	o := Options{Program: "/usr/bin/chromium", Folder: "/profiles/shop"}
	for said, c := range map[string]struct {
		status int
		code   abi.Code
		detail string
	}{
		"Opening in existing browser session.": {21, abi.CodeBrowserProfileBusy, ""},
		"[1:1:FATAL:zygote_host_impl_linux.cc(129)] No usable sandbox! If you are running on Ubuntu 23.10+":                  {-1, abi.CodeBrowserSandbox, ""},
		"[1:1:ERROR:zygote_host_impl_linux.cc(101)] Running as root without --no-sandbox is not supported.":                  {1, abi.CodeBrowserSandbox, ""},
		"Failed to move to new namespace: PID namespaces supported, Network namespace supported, but failed: errno = Operat": {-1, abi.CodeBrowserSandbox, ""},
		"x\nchromium: error while loading shared libraries: libnss3.so\x1b[0m: cannot open\n":                                {127, abi.CodeBrowserStart, "chromium: error while loading shared libraries: libnss3.so[0m: cannot open"},
		"[7:7:1:FATAL:chrome/browser/process_singleton_posix.cc:315] Socket path too long: /x\n[1:1:ERROR:content/zygote] Failed sending zygote boot message": {
			134, abi.CodeBrowserStart, "[7:7:1:FATAL:chrome/browser/process_singleton_posix.cc:315] Socket path too long: /x",
		},
		"": {-1, abi.CodeBrowserStart, ""},
	} {
		if got := o.reason(c.status, said); got.Code != c.code || got.Detail != c.detail || got.Hint == "" {
			t.Errorf("%q: got %v, detail %q, hint %q, want %s, %q", said, got, got.Detail, got.Hint, c.code, c.detail)
		}
	}
	l := &last{}
	for range 100 {
		_, _ = l.Write([]byte(strings.Repeat("x", 1000)))
	}
	_, _ = l.Write([]byte("\nthe end"))
	if got := l.String(); len(got) != saidBytes || telling(got) != "the end" {
		t.Errorf("got %d bytes that end in %q, want %d and the end", len(got), telling(got), saidBytes)
	}
}

// The superuser's browser has no sandbox, so it is not started (T15, BR-05).
func TestNotAsRoot(t *testing.T) {
	t.Parallel()
	if os.Geteuid() != 0 {
		t.Skip("only the superuser is refused")
	}
	p, err := Start(Options{Program: "/bin/true", Folder: t.TempDir(), Temp: t.TempDir()})
	if abi.CodeOf(err) != abi.CodeBrowserSandbox || p != nil {
		t.Errorf("got %v, want %s", err, abi.CodeBrowserSandbox)
	}
}
