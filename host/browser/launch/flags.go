package launch

import (
	"strconv"
	"strings"
)

// Options say what is started.
type Options struct {
	Program string   // absolute
	Folder  string   // of the profile, held by the caller
	Temp    string   // a folder of this run alone, with a short path, because sockets lie in it
	Proxy   string   // host:port of the wall
	Lang    string   // the owner's LANG; "": C.UTF-8
	Display *Display // nil: it has no window
	// Stored are the bytes that all sites may store together, of which one site may have three quarters.
	Stored int64
	// Agent is the user agent that pages and servers see; "": the browser's own.
	Agent string
	// Unmarked leaves navigator.webdriver out, by which pages see that a program drives them.
	Unmarked bool
	// Unsandboxed starts it without its sandbox, on the operator's explicit word.
	Unsandboxed bool
	// Trust are hashes of the keys of servers whose certificates nobody has signed: a test's
	// own. Base64 of SHA-256 of the public key's SPKI.
	Trust []string
}

// off are the features that ask other servers by themselves, the one that keeps pages alive that
// were left, and the one that ends sessions with the last page that is open.
var off = []string{
	"AutofillServerCommunication", "BackForwardCache", "CertificateTransparencyComponentUpdater", "DestroyProfileOnBrowserClose", "DialMediaRouteProvider", "InterestFeedContentSuggestions",
	"MediaRouter", "OptimizationHints", "PasswordLeakDetection", "Translate",
}

// arguments is the whole command line behind the program's name. No flag of it comes from a
// connector, and none opens a port.
func (o *Options) arguments() []string {
	first := []string{"--headless=new"}
	if o.Display != nil {
		first = o.Display.arguments()
	}
	args := append(first,
		"--remote-debugging-pipe",
		"--user-data-dir="+o.Folder,
		// The wall is the only way out, for names, WebRTC and this machine's own addresses too.
		"--proxy-server=http://"+o.Proxy,
		"--proxy-bypass-list=<-loopback>",
		"--disable-quic",
		"--webrtc-ip-handling-policy=disable_non_proxied_udp",
		"--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1",
		// No page before the gate is shut.
		"--no-startup-window",
		"--no-first-run",
		"--no-default-browser-check",
		"--disable-background-networking",
		"--disable-breakpad",
		"--disable-component-update",
		"--disable-default-apps",
		"--disable-dev-shm-usage",
		"--disable-domain-reliability",
		"--disable-extensions",
		"--disable-features="+strings.Join(off, ","),
		"--disable-sync",
		"--disk-cache-size=33554432",
		"--enable-features=StorageQuotaSettings:PoolSizeBytes/"+strconv.FormatInt(o.Stored, 10),
		"--metrics-recording-only",
		"--password-store=basic",
		"--use-mock-keychain",
	)
	if o.Agent != "" {
		args = append(args, "--user-agent="+o.Agent)
	}
	if o.Unmarked {
		args = append(args, "--disable-blink-features=AutomationControlled")
	}
	if len(o.Trust) > 0 {
		args = append(args, "--ignore-certificate-errors-spki-list="+strings.Join(o.Trust, ","))
	}
	if o.Unsandboxed {
		args = append(args, "--no-sandbox")
	}
	return args
}

// environment is the whole environment.
func (o *Options) environment() []string {
	lang := o.Lang
	if lang == "" {
		lang = "C.UTF-8"
	}
	env := []string{"HOME=" + o.Folder, "TMPDIR=" + o.Temp, "LANG=" + lang}
	if o.Display != nil {
		env = append(env, o.Display.environment()...)
	}
	return env
}
