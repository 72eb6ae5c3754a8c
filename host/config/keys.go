package config

import "strings"

// The configuration keys. Their environment names are "PDPP_" and the key in
// upper case with dots as underscores.
const (
	KeyDataDir      = "data_dir"
	KeyPluginsDir   = "plugins_dir"
	KeyStorageDSN   = "storage.dsn"
	KeyProfilesDir  = "browser.profiles_dir"
	KeyBrowser      = "browser.path"
	KeyNoSandbox    = "browser.allow_no_sandbox"
	KeyMarker       = "browser.automation_marker"
	KeyBrowserRAM   = "browser.memory"
	KeyEstablish    = "browser.establish_watchdog"
	KeyBrowserMax   = "browser.max"
	KeyCapture      = "browser.capture"
	KeyMemory       = "limits.memory"
	KeyModuleSize   = "limits.module_size"
	KeyRunTime      = "limits.run"
	KeyLogBytes     = "limits.log_bytes"
	KeyOutput       = "limits.output"
	KeyBytesOut     = "limits.bytes_out"
	KeyRequests     = "limits.requests"
	KeyIsolation    = "isolation"
	KeyAllowPrivate = "network.allow_private"
	KeyCredentials  = "credentials.key"
	KeyListen       = "serve.listen"
	KeyTLSCert      = "serve.tls_cert"
	KeyTLSKey       = "serve.tls_key"
	KeyOrigin       = "serve.origin"
	KeyBehindProxy  = "serve.behind_proxy"
	KeyRegistration = "serve.registration"
	KeyHistory      = "history.retention"
)

// DefaultListen is where `pdpp-host serve` listens unless it is told otherwise, and
// ListenNowhere is what tells it to listen nowhere.
const (
	DefaultListen = "127.0.0.1:8377"
	ListenNowhere = "none"
)

// key is one row of the key table. Its fallback is the default's text, or "" if the
// default is derived from other values (see paths.go).
type key struct {
	name     string
	fallback string
	parse    func(*Config, value) error
}

// keys is the key table, in the order in which values are resolved and shown: data_dir
// first, because other defaults lie below it.
var keys = []key{
	{KeyDataDir, "", parsePath(func(c *Config) *string { return &c.dataDir })},
	{KeyPluginsDir, "", parsePath(func(c *Config) *string { return &c.pluginsDir })},
	{KeyStorageDSN, "", parseDSN},
	{KeyProfilesDir, "", parsePath(func(c *Config) *string { return &c.profilesDir })},
	{KeyBrowser, "", parsePath(func(c *Config) *string { return &c.browser })},
	{KeyNoSandbox, "false", parseBool(func(c *Config) *bool { return &c.noSandbox })},
	{KeyMarker, MarkerShown, parseMarker},
	{KeyEstablish, "2m", parseDuration(func(c *Config) durationPtr { return &c.establish })},
	{KeyBrowserMax, "", parseCount(func(c *Config) *int64 { return &c.browserMax }, "what the memory has room for")},
	{KeyCapture, "false", parseBool(func(c *Config) *bool { return &c.capture })},
	{KeyMemory, "256MiB", parseSize(func(c *Config) *int64 { return &c.memory }, 1<<20, 4<<30)},
	{KeyModuleSize, "64MiB", parseSize(func(c *Config) *int64 { return &c.moduleSize }, 1, 1<<30)},
	{KeyRunTime, "4h", parseDuration(func(c *Config) durationPtr { return &c.run })},
	{KeyLogBytes, "1MiB", parseSize(func(c *Config) *int64 { return &c.logBytes }, 0, 1<<30)},
	{KeyOutput, "16GiB", parseSize(func(c *Config) *int64 { return &c.output }, 1, 1<<50)},
	{KeyBytesOut, "", parseSize(func(c *Config) *int64 { return &c.bytesOut }, 1, 1<<50)},
	{KeyRequests, "", parseCount(func(c *Config) *int64 { return &c.requests }, "no bound")},
	{KeyBrowserRAM, "1GiB", parseSize(func(c *Config) *int64 { return &c.browserRAM }, 256<<20, 64<<30)},
	{KeyIsolation, IsolationProcess, parseIsolation},
	{KeyAllowPrivate, "", parseAllowPrivate},
	{KeyCredentials, CredentialsAuto, parseCredentials},
	{KeyListen, DefaultListen, parseListen},
	{KeyTLSCert, "", parsePath(func(c *Config) *string { return &c.tlsCert })},
	{KeyTLSKey, "", parsePath(func(c *Config) *string { return &c.tlsKey })},
	{KeyOrigin, "", parseOrigin},
	{KeyBehindProxy, "false", parseBool(func(c *Config) *bool { return &c.behindProxy })},
	{KeyRegistration, "on", parseRegistration},
	{KeyHistory, "90d", parseHistory},
}

// Keys returns the names of every key, in the order of `config show`.
func Keys() []string {
	names := make([]string, len(keys))
	for i, k := range keys {
		names[i] = k.name
	}
	return names
}

// EnvName returns the name of the environment variable that sets key.
func EnvName(key string) string {
	return envPrefix + strings.ToUpper(strings.ReplaceAll(key, ".", "_"))
}
