package session

import (
	"os"
	"testing"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/host/config"
)

// RT-15.4: the reference's variable sets the limit of signing in, before the setting; both are held
// to what they say, and neither falls back to the default in silence. browser.max is the operator's
// word, whatever memory there is.
func TestBrowserSettings(t *testing.T) {
	const name = "PDPP_SESSION_ESTABLISH_WATCHDOG_MS"
	machineOf := func(environ ...string) (*machine, error) {
		c, err := config.Load(config.Source{Home: t.TempDir(), File: os.DevNull, Environ: environ})
		return &machine{config: c}, err
	}
	for value, want := range map[string]time.Duration{
		"": 5 * time.Minute, "1": time.Millisecond, "120000": 2 * time.Minute,
		"0": 0, "-1": 0, "1.5": 0, "2m": 0, "5s": 0, "9999999999": 0, "x": 0,
	} {
		t.Setenv(name, value)
		m, err := machineOf("PDPP_BROWSER_ESTABLISH_WATCHDOG=5m", "PDPP_BROWSER_MAX=9")
		if err != nil || m.Slots() != 9 {
			t.Fatalf("got %v, want nine browsers at once", err)
		}
		if got, err := m.establish(); got != want || (want == 0) != (abi.CodeOf(err) == abi.CodeConfigInvalid) {
			t.Errorf("%q: got %s, %v, want %s, or a problem of the configuration for 0s", value, got, err, want)
		}
	}
	t.Setenv(name, "")
	m, err := machineOf()
	if err != nil {
		t.Fatal(err)
	}
	if got, err := m.establish(); got != 120*time.Second || err != nil || m.Slots() < 1 || m.Slots() > 4 {
		t.Errorf("without either: got %s, %v, %d browsers, want 2m0s, and one to four", got, err, m.Slots())
	}
	for _, wrong := range []string{"ESTABLISH_WATCHDOG=0s", "ESTABLISH_WATCHDOG=-1m", "ESTABLISH_WATCHDOG=120000", "MAX=0", "MAX=-1", "MAX=two"} {
		if _, err := machineOf("PDPP_BROWSER_" + wrong); abi.CodeOf(err) != abi.CodeConfigInvalid {
			t.Errorf("%s: got %v, want a problem of the configuration", wrong, err)
		}
	}
}
