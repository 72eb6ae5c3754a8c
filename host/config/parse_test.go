package config

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/pdpp-host/pdpp-host/abi"
)

func TestParseSize(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]int64{
		"4096": 4096, "256MiB": 256 << 20, "256 mib": 256 << 20, "1GB": 1e9, "1.5KiB": 1536, "64M": 64 << 20, "0": 0, "12B": 12,
	} {
		if got, problem := ParseSize(in); problem != "" || got != want {
			t.Errorf("%q = %d %s, want %d", in, got, problem, want)
		}
	}
	for _, in := range []string{"", "MiB", "-1", "1 XB", "9999999999999999999", "9000000TiB", "1.2.3", "1e400"} {
		if n, problem := ParseSize(in); problem == "" {
			t.Errorf("%q = %d, want a problem", in, n)
		}
	}
}

func TestInvalidValues(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ yaml, key, says string }{
		{"limits: {memory: lots}", KeyMemory, "number"},
		{"limits: {memory: 1KiB}", KeyMemory, "between 1MiB and 4GiB"},
		{"limits: {memory: [1]}", KeyMemory, "plain value"},
		{"limits: {run: 3600}", KeyRunTime, "no unit"},
		{"limits: {run: soon}", KeyRunTime, "not a duration"},
		{"limits: {run: -1h}", KeyRunTime, "above zero"},
		{"isolation: none", KeyIsolation, "unknown"},
		{"browser: {automation_marker: no}", KeyMarker, "unknown"},
		{"credentials: {key: hunter2}", KeyCredentials, "unknown"},
		{"credentials: {key: [file]}", KeyCredentials, "plain value"},
		{"data_dir: 7", KeyDataDir, "path"},
		{`data_dir: ""`, KeyDataDir, "path"},
		{"storage: {dsn: mysql://u:hunter2@h/d}", KeyStorageDSN, "scheme"},
		{"network: {allow_private: [10.0.0.0/8]}", KeyAllowPrivate, "host:port"},
		{`network: {allow_private: ["h:0"]}`, KeyAllowPrivate, "host:port"},
		{"network: {allow_private: {a: b}}", "", ""},
		{"serve: {listen: localhost}", KeyListen, "host:port"},
		{`serve: {listen: "127.0.0.1:65536"}`, KeyListen, "host:port"},
		{"serve: {listen: [a]}", KeyListen, "plain value"},
		{"serve: {origin: pdpp.example.org}", KeyOrigin, "not an origin"},
		{`serve: {origin: "https://pdpp.example.org/x"}`, KeyOrigin, "not an origin"},
		{`serve: {origin: "https://a@pdpp.example.org"}`, KeyOrigin, "not an origin"},
		{`serve: {origin: "file:///x"}`, KeyOrigin, "not an origin"},
		{"serve: {registration: maybe}", KeyRegistration, "neither on nor off"},
		{"serve: {behind_proxy: maybe}", KeyBehindProxy, "true or false"},
		{"serve: {tls_key: 7}", KeyTLSKey, "path"},
		{"history: {retention: 0d}", KeyHistory, "number of days"},
		{"history: {retention: 90}", KeyHistory, "number of days"},
		{"history: {retention: 2160h}", KeyHistory, "number of days"},
	} {
		t.Run(tc.key+" "+tc.says, func(t *testing.T) {
			t.Parallel()
			_, err := Load(Source{File: write(t, tc.yaml), Home: "/home/ada"})
			var e *abi.Error
			if !errors.As(err, &e) || !strings.HasPrefix(string(e.Code), "config.") || e.Hint == "" {
				t.Fatalf(`got %v, want errors.As(err, &e) && strings.HasPrefix(string(e.Code), "config.") && e.Hint != ""`, err)
			}
			if !strings.Contains(e.Message, tc.key) || !strings.Contains(e.Message, tc.says) {
				t.Errorf("%q names neither %q nor %q, want strings.Contains(e.Message, tc.key) && strings.Contains(e.Message, tc.says)", e.Message, tc.key, tc.says)
			}
			if strings.Contains(err.Error(), "hunter2") {
				t.Error("the error repeats a secret")
			}
		})
	}
}

func TestCredentialsKey(t *testing.T) {
	t.Parallel()
	for _, want := range []string{CredentialsAuto, CredentialsFile, CredentialsKeyring} {
		c, err := Load(Source{Environ: []string{"PDPP_CREDENTIALS_KEY=" + want}, Home: "/home/ada"})
		if err != nil || c.CredentialsKey() != want {
			t.Errorf("%s: got %v, want no error && c.CredentialsKey() == want", want, err)
		}
	}
}

func TestListen(t *testing.T) {
	t.Parallel()
	for _, want := range []string{"127.0.0.1:8730", ":0", "[::1]:443", "localhost:80"} {
		c, err := Load(Source{Environ: []string{"PDPP_SERVE_LISTEN=" + want, "PDPP_SERVE_TLS_CERT=/a.pem", "PDPP_SERVE_TLS_KEY=/b.pem"}, Home: "/home/ada"})
		if err != nil || c.Listen() != want || c.TLSCert() != "/a.pem" || c.TLSKey() != "/b.pem" {
			t.Errorf(`%s: got %v, want no error && c.Listen() == want && c.TLSCert() == "/a.pem" && c.TLSKey() == "/b.pem"`, want, err)
			continue
		}
		for key, is := range map[string]string{KeyListen: want, KeyTLSCert: "/a.pem", KeyTLSKey: "/b.pem"} {
			if got, _ := shown(t, c, key); got != is {
				t.Errorf("%s is shown as %q, want %v", key, got, is)
			}
		}
	}
}

func TestOrigin(t *testing.T) {
	t.Parallel()
	c, err := Load(Source{Environ: []string{"PDPP_SERVE_ORIGIN=https://PDPP.example.org:8443/", "PDPP_SERVE_BEHIND_PROXY=true", "PDPP_SERVE_LISTEN=none"}, Home: "/home/ada"})
	if err != nil || c.Origin() != "https://pdpp.example.org:8443" || !c.BehindProxy() || c.Listen() != "" {
		t.Fatalf("origin %q, behind a proxy %t, listens on %q, %v; want https://pdpp.example.org:8443, true, nowhere", c.Origin(), c.BehindProxy(), c.Listen(), err)
	}
	if got, _ := shown(t, c, KeyListen); got != ListenNowhere {
		t.Errorf("%s is shown as %q, want %q", KeyListen, got, ListenNowhere)
	}
}

func TestAllowPrivate(t *testing.T) {
	t.Parallel()
	want := []string{"127.0.0.1:8080", "[::1]:80"}
	for _, src := range []Source{
		{File: write(t, `network: {allow_private: ["127.0.0.1:8080", "[::1]:80"]}`)},
		{Environ: []string{"PDPP_NETWORK_ALLOW_PRIVATE=127.0.0.1:8080, [::1]:80"}},
	} {
		src.Home = "/home/ada"
		c, err := Load(src)
		if err != nil || !slices.Equal(c.AllowPrivate(), want) {
			t.Errorf("got %v, %v, want no error && slices.Equal(c.AllowPrivate(), want)", c, err)
			continue
		}
		c.AllowPrivate()[0] = "changed"
		if !slices.Equal(c.AllowPrivate(), want) {
			t.Error("the list can be changed from outside")
		}
	}
}

func TestSecretsAreRedacted(t *testing.T) {
	t.Parallel()
	for _, dsn := range []string{"postgres://ada:hunter2@db/pdpp?sslmode=require", "postgres://db/pdpp?password=hunter2", "postgres://ada:hunter2@db:x y/"} {
		c, err := Load(Source{Home: "/home/ada", Environ: []string{"PDPP_STORAGE_DSN=" + dsn}})
		if err != nil {
			t.Fatal(err)
		}
		if got, _ := shown(t, c, KeyStorageDSN); strings.Contains(got, "hunter2") {
			t.Errorf(`shown as %q, want !strings.Contains(got, "hunter2")`, got)
		}
		if c.StorageDSN() != dsn {
			t.Error("the value itself was changed")
		}
	}
}

func TestFormatSize(t *testing.T) {
	t.Parallel()
	for n, want := range map[int64]string{0: "0B", 1: "1B", 1024: "1KiB", 1536: "1536B", 64 << 20: "64MiB", 1 << 50: "1024TiB"} {
		if got := FormatSize(n); got != want {
			t.Errorf("%d is %q, want %q", n, got, want)
		}
		if back, problem := ParseSize(want); problem != "" || back != n {
			t.Errorf(`%q reads back as %d %s, want problem == "" && back == n`, want, back, problem)
		}
	}
}

func FuzzParseSize(f *testing.F) {
	f.Add("1.5GiB")
	f.Fuzz(func(t *testing.T, s string) {
		if n, problem := ParseSize(s); n < 0 || problem != "" && n != 0 {
			t.Fatalf(`got %q = %d %q, want n >= 0 && (problem == "" || n == 0)`, s, n, problem)
		}
	})
}

// A slip in an address of PostgreSQL is no path, which would begin an empty store there.
func TestServerAddress(t *testing.T) {
	t.Parallel()
	for typed, want := range map[string][2]string{
		"POSTGRES://ada@db/pdpp": {"postgres://ada@db/pdpp", ""},
		"postgres:/ada@db/pdpp":  {"", "needs two slashes behind its scheme"},
		"postgresql:ada@db/pdpp": {"", "needs two slashes behind its scheme"},
		"mysql://db/pdpp":        {"", "has an unknown scheme"},
		"/var/lib/postgres/x":    {"", ""},
		`C:\data\pdpp.sqlite`:    {"", ""},
		"postgres.sqlite":        {"", ""},
	} {
		address, problem := ServerAddress(typed)
		if got := [2]string{address, problem}; got != want {
			t.Errorf("%q: got %q, want %q", typed, got, want)
		}
	}
}
