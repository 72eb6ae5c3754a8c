package assemblyscript

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/pdpp-host/pdpp-host/host/plugin"
)

// The committed modules equal the ones that their sources build.
func TestModulesAreOfTheirSources(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("compiles for half a minute")
	}
	for _, tool := range []string{"sh", "node", "npm"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skipf("the modules cannot be built again: there is no %s here", tool)
		}
	}
	if _, err := os.Stat(filepath.Join("node_modules", ".bin", "asc")); err != nil {
		if said, err := exec.CommandContext(t.Context(), "npm", "ci", "--no-audit", "--no-fund", "--silent").CombinedOutput(); err != nil {
			t.Skipf("the modules cannot be built again: npm ci does not work here: %v\n%s", err, said)
		}
	}
	out := t.TempDir()
	if said, err := exec.CommandContext(t.Context(), "sh", "build.sh", out).CombinedOutput(); err != nil {
		t.Fatalf("build.sh: %v\n%s", err, said)
	}
	for _, kind := range []string{plugin.KindRaw, plugin.KindExtism} {
		fresh, err := os.ReadFile(filepath.Join(out, kind+plugin.Extension))
		if err != nil {
			t.Fatal(err)
		}
		if committed := open(t, kind).Bytes; !bytes.Equal(fresh, committed) {
			t.Errorf("%s.wasm is not what %s/index.ts makes; run build.sh and commit it, want fresh = %v", kind, kind, committed)
		}
	}
}
