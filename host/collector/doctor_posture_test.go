package collector

import (
	"io/fs"
	"path/filepath"
	"runtime/debug"
	"strings"
	"testing"

	"github.com/pdpp-host/pdpp-host/host/collector/posture"
	"github.com/pdpp-host/pdpp-host/host/collector/profile"
)

// installedAt is a released version, in a checkout when there is a src folder above it.
func installedAt(version, executable string) posture.Install {
	const module = "github.com/pdpp-host/pdpp-host"
	return posture.Install{
		Build:      &debug.BuildInfo{Main: debug.Module{Path: module, Version: version, Sum: "h1:47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU="}},
		Executable: executable,
		ReadFile: func(path string) ([]byte, error) {
			if filepath.Dir(path) == "/home/ana/src/pdpp-host" {
				return []byte("module " + module + "\n"), nil
			}
			return nil, fs.ErrNotExist
		},
	}
}

// LC-08.2, LC-08.3, LC-08.4: where the program comes from is a warning and never
// more; a released one is none. A placeholder is one more.
func TestDoctorOnPosture(t *testing.T) {
	t.Parallel()
	for overall, in := range map[string]posture.Install{
		LevelOK:           installedAt("v1.4.0", "/usr/bin/pdpp-local-collector"),
		OverallWarn:       installedAt("v1.4.0", "/home/ana/src/pdpp-host/bin/pdpp-local-collector"),
		OverallWarn + " ": installedAt("v0.0.0", "/usr/bin/pdpp-local-collector"),
	} {
		w := newWorld(t, func(d *Deps) { d.Install = in })
		d, err := w.collector().Doctor(t.Context())
		w.ok(err)
		if profile.Volatile(w.path) {
			t.Skip("the tests' folder lies in memory")
		}
		w.same(d.Overall, strings.TrimSpace(overall), "overall")
		placeholder := false
		for _, c := range d.Checks {
			placeholder = placeholder || c.Name == "package_version" && c.Level == LevelWarn
			if c.Level != LevelOK && c.Remedy == "" {
				t.Errorf("%s says nothing of what to do", c.Name)
			}
		}
		w.same(placeholder, posture.Of(in).Placeholder, "a warning of the placeholder")
	}
}
