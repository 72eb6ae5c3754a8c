package config

import (
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Isolation modes of a guest.
const (
	IsolationProcess = "process" // a worker process, killed on overrun
	IsolationInline  = "inline"  // in this process: for embedding and tests
)

// Whether pages see that a program drives their browser.
const (
	MarkerShown  = "shown"
	MarkerHidden = "hidden"
)

// Places of the key that seals the stored credentials.
const (
	CredentialsAuto    = "auto"    // its file if there is one, else the system's keyring, else a new file
	CredentialsFile    = "file"    // credentials.key in the data folder
	CredentialsKeyring = "keyring" // the system's keyring
)

// Config is the effective configuration. It does not change after Load and is
// safe for concurrent use.
type Config struct {
	dataDir      string
	pluginsDir   string
	dsn          string
	profilesDir  string
	browser      string
	noSandbox    bool
	unmarked     bool
	browserRAM   int64
	establish    time.Duration
	browserMax   int64
	capture      bool
	memory       int64
	moduleSize   int64
	run          time.Duration
	logBytes     int64
	output       int64
	bytesOut     int64
	requests     int64
	isolation    string
	allowPrivate []string
	credentials  string
	listen       string
	origin       string
	behindProxy  bool
	unregistered bool
	tlsCert      string
	tlsKey       string
	history      time.Duration

	file    string
	origins map[string]Origin
}

// DataDir is the absolute folder of all data of the host.
func (c *Config) DataDir() string { return c.dataDir }

// PluginsDir is the absolute folder in which operators put connectors.
func (c *Config) PluginsDir() string { return c.pluginsDir }

// StorageDSN is the absolute path of the SQLite file, or a postgres:// address. It may
// contain a password: show Values instead.
func (c *Config) StorageDSN() string { return c.dsn }

// StoreOnServer reports whether the store is on PostgreSQL, and not in a file.
func (c *Config) StoreOnServer() bool { return strings.Contains(c.dsn, "://") }

// ProfilesDir is the absolute folder of browser profiles; "" if the home folder is
// unknown and none was set.
func (c *Config) ProfilesDir() string { return c.profilesDir }

// Browser is the absolute path of the browser to start; "": the first that is found.
func (c *Config) Browser() string { return c.browser }

// AllowNoSandbox is the operator's word that a browser may run without its sandbox.
func (c *Config) AllowNoSandbox() bool { return c.noSandbox }

// HideAutomation is the owner's word that pages do not see that a program drives their browser.
func (c *Config) HideAutomation() bool { return c.unmarked }

// BrowserMemory is the maximum memory of a browser's processes, in bytes.
func (c *Config) BrowserMemory() int64 { return c.browserRAM }

// Establish is how long signing in at a site may go without progress.
func (c *Config) Establish() time.Duration { return c.establish }

// BrowserMax is how many browsers may run at once; 0: as many as the machine has room for.
func (c *Config) BrowserMax() int64 { return c.browserMax }

// Capture reports whether runs keep what the pages of their browsers are made of.
func (c *Config) Capture() bool { return c.capture }

// MemoryBytes is a guest's linear memory cap.
func (c *Config) MemoryBytes() int64 { return c.memory }

// ModuleBytes is the maximum size of a module file.
func (c *Config) ModuleBytes() int64 { return c.moduleSize }

// RunTime is the maximum duration of one run.
func (c *Config) RunTime() time.Duration { return c.run }

// LogBytes is the maximum size of a guest's log in one run.
func (c *Config) LogBytes() int64 { return c.logBytes }

// OutputBytes is the maximum size of a guest's output in one run.
func (c *Config) OutputBytes() int64 { return c.output }

// BytesOut is the maximum number of bytes that a guest may send over the network in
// one run; 0 leaves it to the manifest.
func (c *Config) BytesOut() int64 { return c.bytesOut }

// Requests is the maximum number of requests in one run; 0: unlimited (RT-24).
func (c *Config) Requests() int64 { return c.requests }

// Isolation is IsolationProcess or IsolationInline.
func (c *Config) Isolation() string { return c.isolation }

// AllowPrivate lists the host:port pairs that may be reached although they are
// private. The slice is a copy.
func (c *Config) AllowPrivate() []string { return slices.Clone(c.allowPrivate) }

// CredentialsKey is CredentialsAuto, CredentialsFile or CredentialsKeyring.
func (c *Config) CredentialsKey() string { return c.credentials }

// Listen is the host:port on which `pdpp-host serve` answers browsers, programs and
// devices; "": it listens nowhere.
func (c *Config) Listen() string { return c.listen }

// Origin is what a browser's address of this host begins with where that is not the
// listening address, as in "https://pdpp.example.org"; "": it is not known.
func (c *Config) Origin() string { return c.origin }

// BehindProxy says that other machines reach Listen through a proxy alone, which ends TLS.
func (c *Config) BehindProxy() bool { return c.behindProxy }

// NoRegistration says that no new app becomes known to a host that serves.
func (c *Config) NoRegistration() bool { return c.unregistered }

// TLSCert is the absolute path of the certificate for Listen; "": no TLS.
func (c *Config) TLSCert() string { return c.tlsCert }

// TLSKey is the absolute path of the certificate's key.
func (c *Config) TLSKey() string { return c.tlsKey }

// History is the time for which a connection's runs are kept.
func (c *Config) History() time.Duration { return c.history }

// File is the configuration file that was read; "" if there was none.
func (c *Config) File() string { return c.file }

// Value is one effective value in a form that may be shown.
type Value struct {
	Key    string `json:"key"`
	Value  string `json:"value"` // secrets replaced
	Origin Origin `json:"origin"`
}

// Values lists every key's effective value with its origin, secrets redacted
// (Invariant 5), in the order of Keys.
func (c *Config) Values() []Value {
	values := make([]Value, 0, len(keys))
	for _, name := range Keys() {
		values = append(values, Value{Key: name, Value: c.shownValue(name), Origin: c.origins[name]})
	}
	return values
}

func (c *Config) shownValue(name string) string {
	switch name {
	case KeyDataDir:
		return c.dataDir
	case KeyPluginsDir:
		return c.pluginsDir
	case KeyStorageDSN:
		return redactDSN(c.dsn)
	case KeyProfilesDir:
		return c.profilesDir
	case KeyBrowser:
		return c.browser
	case KeyCapture:
		return strconv.FormatBool(c.capture)
	case KeyNoSandbox:
		return strconv.FormatBool(c.noSandbox)
	case KeyMarker:
		if c.unmarked {
			return MarkerHidden
		}
		return MarkerShown
	case KeyBrowserRAM:
		return FormatSize(c.browserRAM)
	case KeyEstablish:
		return FormatDuration(c.establish)
	case KeyMemory:
		return FormatSize(c.memory)
	case KeyModuleSize:
		return FormatSize(c.moduleSize)
	case KeyRunTime:
		return FormatDuration(c.run)
	case KeyLogBytes:
		return FormatSize(c.logBytes)
	case KeyOutput:
		return FormatSize(c.output)
	case KeyBytesOut:
		if c.bytesOut == 0 {
			return "per manifest"
		}
		return FormatSize(c.bytesOut)
	case KeyRequests:
		if c.requests == 0 {
			return "unbounded"
		}
		return strconv.FormatInt(c.requests, 10)
	case KeyBrowserMax:
		if c.browserMax == 0 {
			return "by its memory"
		}
		return strconv.FormatInt(c.browserMax, 10)
	case KeyIsolation:
		return c.isolation
	case KeyCredentials:
		return c.credentials
	case KeyListen:
		if c.listen == "" {
			return ListenNowhere
		}
		return c.listen
	case KeyOrigin:
		return c.origin
	case KeyBehindProxy:
		return strconv.FormatBool(c.behindProxy)
	case KeyRegistration:
		if c.unregistered {
			return off
		}
		return on
	case KeyTLSCert:
		return c.tlsCert
	case KeyTLSKey:
		return c.tlsKey
	case KeyHistory:
		return strconv.FormatInt(int64(c.history/day), 10) + "d"
	default:
		return strings.Join(c.allowPrivate, ",")
	}
}

// redactDSN hides the password of a database address, in any part of it.
func redactDSN(dsn string) string {
	if !strings.Contains(dsn, "://") {
		return dsn
	}
	u, err := url.Parse(dsn)
	if err != nil {
		return "(set, not shown)"
	}
	q := u.Query()
	for name := range q {
		if name != "sslmode" && name != "application_name" {
			q.Set(name, "xxxxx")
		}
	}
	u.RawQuery = q.Encode()
	return u.Redacted()
}

// FormatDuration writes a duration as short as it is read: 90s is 1m30s, 60m is 1h.
func FormatDuration(d time.Duration) string {
	s := d.String()
	s = strings.TrimSuffix(s, "m0s") + suffix(s, "m0s", "m")
	return strings.TrimSuffix(s, "h0m") + suffix(s, "h0m", "h")
}

func suffix(s, cut, put string) string {
	if strings.HasSuffix(s, cut) {
		return put
	}
	return ""
}

// FormatSize writes a number of bytes with the largest binary unit that
// divides it, as ParseSize reads it.
func FormatSize(n int64) string {
	units := []string{"B", "KiB", "MiB", "GiB", "TiB"}
	i := 0
	for n != 0 && n%1024 == 0 && i < len(units)-1 {
		n, i = n/1024, i+1
	}
	return strconv.FormatInt(n, 10) + units[i]
}
