package device

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"

	"go.uber.org/goleak"

	"github.com/pdpp-host/pdpp-host/testplugins/rig"
)

func TestMain(m *testing.M) {
	goleak.VerifyTestMain(m, goleak.Cleanup(func(code int) {
		if scratch != "" {
			_ = os.RemoveAll(scratch)
		}
		os.Exit(code)
	}))
}

// built is shared by all tests: the programs, in one folder as on a PATH, the
// connector, and the cache of compiled modules.
type built struct{ dir, bin, host, collector, plugins, cache string }

var scratch string

var build = sync.OnceValues(func() (*built, error) {
	dir, err := os.MkdirTemp("", "pdpp-device-")
	if err != nil {
		return nil, err
	}
	scratch = dir
	in := func(name ...string) string { return filepath.Join(append([]string{dir}, name...)...) }
	b := &built{dir, in("bin"), in("bin", "pdpp-host"), in("bin", "pdpp-local-collector"), in("plugins"), in("cache")}
	for _, folder := range []string{b.bin, b.plugins, b.cache, in("first")} {
		if err := os.Mkdir(folder, 0o700); err != nil {
			return nil, err
		}
	}
	overlay, err := sliced(dir)
	if err != nil {
		return nil, err
	}
	err = errors.Join(rig.Compile(b.host, "cmd/pdpp-host", ""), rig.Compile(b.collector, "cmd/pdpp-local-collector", ""),
		rig.Compile(filepath.Join(b.plugins, "claude_code.wasm"), "plugins/claude_code", overlay))
	if err != nil {
		return nil, err
	}
	// Compiled to machine code once, and not by every test at the same time.
	if err := os.Symlink(b.cache, in("first", "cache")); err != nil {
		return nil, err
	}
	list := exec.Command(b.host, "--data-dir", in("first"), "--plugins", b.plugins, "plugins", "list")
	list.Env = []string{"HOME=" + in("first")}
	if out, err := list.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("plugins list: %w\n%s", err, out)
	}
	return b, nil
})

// The connector of the tree finishes a unit of work every 16 MiB. The one of these
// tests finishes one every 64 KiB, so that a small folder is many units.
const (
	unitOfTree = "sliceBytes = 16 << 20"
	unitHere   = "sliceBytes = 64 << 10"
)

// sliced writes the overlay that makes the connector's units small.
func sliced(dir string) (overlay string, err error) {
	original, err := filepath.Abs("../../plugins/claude_code/transcript.go")
	if err != nil {
		return "", err
	}
	text, err := os.ReadFile(original)
	if err != nil {
		return "", err
	}
	if bytes.Count(text, []byte(unitOfTree)) != 1 {
		return "", fmt.Errorf("%s does not say %q once: say here what it says now", filepath.Base(original), unitOfTree)
	}
	small, overlay := filepath.Join(dir, "transcript.go"), filepath.Join(dir, "overlay.json")
	replace, err := json.Marshal(map[string]any{"Replace": map[string]string{original: small}})
	if err != nil {
		return "", err
	}
	return overlay, errors.Join(os.WriteFile(small, bytes.Replace(text, []byte(unitOfTree), []byte(unitHere), 1), 0o600), os.WriteFile(overlay, replace, 0o600))
}
