package config

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/pdpp-host/pdpp-host/abi"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func write(t *testing.T, content string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "pdpp.yaml")
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func shown(t *testing.T, c *Config, key string) (string, string) {
	t.Helper()
	for _, v := range c.Values() {
		if v.Key == key {
			return v.Value, v.Origin.Kind
		}
	}
	t.Fatalf("no key %s", key)
	return "", ""
}

func TestDefaults(t *testing.T) {
	t.Parallel()
	c, err := Load(Source{Home: "/home/ada"})
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]string{
		KeyDataDir: "/home/ada/.local/share/pdpp", KeyPluginsDir: "/home/ada/.local/share/pdpp/plugins",
		KeyStorageDSN: "/home/ada/.local/share/pdpp/pdpp.sqlite", KeyProfilesDir: "/home/ada/.pdpp/profiles",
		KeyMemory: "256MiB", KeyModuleSize: "64MiB", KeyRunTime: "4h", KeyLogBytes: "1MiB", KeyOutput: "16GiB",
		KeyBytesOut: "per manifest", KeyRequests: "unbounded", KeyIsolation: "process", KeyAllowPrivate: "",
		KeyCredentials: "auto", KeyListen: "127.0.0.1:8377", KeyTLSCert: "", KeyTLSKey: "", KeyOrigin: "", KeyBehindProxy: "false", KeyRegistration: "on", KeyBrowser: "", KeyNoSandbox: "false", KeyMarker: "shown", KeyBrowserRAM: "1GiB", KeyEstablish: "2m", KeyBrowserMax: "by its memory", KeyCapture: "false", KeyHistory: "90d",
	}
	if len(c.Values()) != len(want) {
		t.Errorf("%d values, want %d", len(c.Values()), len(want))
	}
	for key, value := range want {
		if got, origin := shown(t, c, key); got != value || origin != FromDefault {
			t.Errorf("%s = %q from %s, want %q from default", key, got, origin, value)
		}
	}
	if c.RunTime() != 4*time.Hour || c.MemoryBytes() != 256<<20 || c.ModuleBytes() != 64<<20 || c.File() != "" {
		t.Error("typed values differ from the shown ones")
	}
}

func TestPrecedence(t *testing.T) {
	t.Parallel()
	file := write(t, "limits:\n  memory: 64MiB\n")
	flag := map[string]Flag{KeyMemory: {"--memory", "512MiB"}}
	env := []string{"PDPP_LIMITS_MEMORY=128MiB"}
	for _, tc := range []struct {
		name, want, origin string
		src                Source
	}{
		{"file over default", "64MiB", FromFile, Source{File: file}},
		{"env over file", "128MiB", FromEnv, Source{File: file, Environ: env}},
		{"flag over env", "512MiB", FromFlag, Source{File: file, Environ: env, Flags: flag}},
		{"an empty variable is unset", "64MiB", FromFile, Source{File: file, Environ: []string{"PDPP_LIMITS_MEMORY="}}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			tc.src.Home = "/home/ada"
			c, err := Load(tc.src)
			if err != nil {
				t.Fatal(err)
			}
			if got, origin := shown(t, c, KeyMemory); got != tc.want || origin != tc.origin {
				t.Errorf("%q from %s, want %q from %s", got, origin, tc.want, tc.origin)
			}
		})
	}
}

func TestPlaces(t *testing.T) {
	t.Parallel()
	conf, data := t.TempDir(), t.TempDir()
	if err := os.MkdirAll(filepath.Join(conf, "pdpp"), 0o700); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(conf, "pdpp", "pdpp.yaml")
	if err := os.WriteFile(path, []byte("plugins_dir: mods\nbrowser:\n  profiles_dir: ~/profiles\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	c, err := Load(Source{Home: "/home/ada", Environ: []string{"XDG_CONFIG_HOME=" + conf, "XDG_DATA_HOME=" + data}})
	if err != nil {
		t.Fatal(err)
	}
	if c.File() != path || c.DataDir() != filepath.Join(data, "pdpp") {
		t.Errorf(`file %q, data %q, want c.File() == path && c.DataDir() == filepath.Join(data, "pdpp")`, c.File(), c.DataDir())
	}
	if want := filepath.Join(conf, "pdpp", "mods"); c.PluginsDir() != want {
		t.Errorf("a relative path in the file is %q, want %q", c.PluginsDir(), want)
	}
	if c.ProfilesDir() != "/home/ada/profiles" {
		t.Errorf(`~ is %q, want "/home/ada/profiles"`, c.ProfilesDir())
	}
	if c, err = Load(Source{Home: "/home/ada", Environ: []string{"XDG_DATA_HOME=relative"}}); err != nil || c.DataDir() != "/home/ada/.local/share/pdpp" {
		t.Errorf(`a relative XDG folder was taken: %v %v, want no error && c.DataDir() == "/home/ada/.local/share/pdpp"`, c, err)
	}
}

func TestHomeUnknown(t *testing.T) {
	t.Parallel()
	if _, err := Load(Source{}); abi.CodeOf(err) != abi.CodeConfigInvalid || !strings.Contains(err.Error(), "HOME") {
		t.Errorf(`got %v, want abi.CodeOf(err) == abi.CodeConfigInvalid && strings.Contains(err.Error(), "HOME")`, err)
	}
	c, err := Load(Source{Environ: []string{"PDPP_DATA_DIR=/srv/pdpp"}})
	if err != nil || c.PluginsDir() != "/srv/pdpp/plugins" || c.ProfilesDir() != "" {
		t.Errorf(`with a data folder HOME is not needed: %v, want no error && c.PluginsDir() == "/srv/pdpp/plugins" && c.ProfilesDir() == ""`, err)
	}
}

// A key that is not there is refused with the nearest one, also one for the address of a browser
// to attach to (BR-01.3).
func TestUnknownKeys(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name, file, env, nearest string
	}{
		{name: "slip in the file", file: "data_dri: /x\n", nearest: `"data_dir"`},
		{name: "slip in a section", file: "limits:\n  memroy: 1GiB\n", nearest: `"limits.memory"`},
		{name: "missing section", file: "memory: 1GiB\n", nearest: `"limits.memory"`},
		{name: "null value", file: "data_dri:\n", nearest: `"data_dir"`},
		{name: "key below a plain key", file: "data_dir:\n  path: /x\n", nearest: `"data_dir"`},
		{name: "slip in a variable", env: "PDPP_DATADIR=/x", nearest: `"PDPP_DATA_DIR"`},
		{name: "a browser to attach to", file: "browser:\n  cdp_url: ws://127.0.0.1:9222\n", nearest: `"browser.`},
		{name: "one of the environment", env: "PDPP_BROWSER_CDP_URL=ws://127.0.0.1:9222", nearest: `"PDPP_BROWSER_`},
		{name: "unknown in a section", env: "PDPP_LIMITS_RAM=1", nearest: `"PDPP_LIMITS_`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			src := Source{Home: "/home/ada", Environ: []string{tc.env}}
			if tc.file != "" {
				src.File = write(t, tc.file)
			}
			_, err := Load(src)
			var e *abi.Error
			if !errors.As(err, &e) || e.Code != abi.CodeConfigUnknownKey {
				t.Fatalf("got %v, want errors.As(err, &e) && e.Code == abi.CodeConfigUnknownKey", err)
			}
			if !strings.Contains(e.Hint, tc.nearest) {
				t.Errorf("hint %q does not name %s, want strings.Contains(e.Hint, tc.nearest)", e.Hint, tc.nearest)
			}
		})
	}
}

func TestConnectorVariablesAreLeftAlone(t *testing.T) {
	t.Parallel()
	_, err := Load(Source{Home: "/home/ada", Environ: []string{"PDPP_CODEX_ACTIVE_ROLLOUT_QUIET_MS=0", "PDPP_REMOTE_CDP_URL=x", "PDPP_DATADIR="}})
	if err != nil {
		t.Error(err)
	}
}

func TestUnreadable(t *testing.T) {
	t.Parallel()
	big := write(t, strings.Repeat("#", maxFileBytes+1))
	for _, path := range []string{filepath.Join(t.TempDir(), "none.yaml"), t.TempDir(), big} {
		if _, err := Load(Source{File: path, Home: "/home/ada"}); abi.CodeOf(err) != abi.CodeConfigUnreadable {
			t.Errorf("%s: abi.CodeOf(err): got %v, want %v", path, err, abi.CodeConfigUnreadable)
		}
	}
	for _, content := range []string{"a: [", "- 1\n", "data_dir: /a\ndata_dir: /b\n", "hunter2 secret"} {
		_, err := Load(Source{File: write(t, content), Home: "/home/ada"})
		if abi.CodeOf(err) != abi.CodeConfigInvalid || strings.Contains(err.Error(), "hunter2") {
			t.Errorf(`%q: got %v, want abi.CodeOf(err) == abi.CodeConfigInvalid && !strings.Contains(err.Error(), "hunter2")`, content, err)
		}
	}
}

func FuzzLoadFile(f *testing.F) {
	f.Add("limits:\n  memory: 64MiB\nnetwork:\n  allow_private: [\"127.0.0.1:1\"]\n")
	f.Add("? {a: b}\n: c")
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, content string) {
		path := filepath.Join(dir, "pdpp.yaml")
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		c, err := Load(Source{File: path, Home: "/home/ada"})
		if err == nil {
			c.Values()
			return
		}
		var e *abi.Error
		if !errors.As(err, &e) || e.Hint == "" {
			t.Fatalf(`untyped or hintless: %v, want errors.As(err, &e) && e.Hint != ""`, err)
		}
	})
}
