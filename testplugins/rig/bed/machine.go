package bed

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/pdpp-host/pdpp-host/testplugins/rig/tree"
)

// Machine is another computer of somebody's, with the local collector.
type Machine struct {
	Home string

	t   testing.TB
	env []string
}

// collector returns the path of the built collector.
func collector(t testing.TB) string {
	t.Helper()
	path, err := built("pdpp-local-collector", func(dir string) (string, error) {
		out := filepath.Join(dir, "pdpp-local-collector")
		return out, tree.Compile(out, "cmd/pdpp-local-collector", "")
	})
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// NewMachine gives somebody a computer whose collector has a connector.
func NewMachine(t testing.TB, connector string) *Machine {
	t.Helper()
	m := &Machine{Home: t.TempDir(), t: t}
	plugins := filepath.Dir(Module(t, connector))
	m.env = []string{"HOME=" + m.Home, "PATH=" + filepath.Dir(collector(t)), "PDPP_PLUGINS_DIR=" + plugins}
	if err := prepare(filepath.Join(m.Home, ".local", "share", "pdpp")); err != nil {
		t.Fatal(err)
	}
	return m
}

// Types runs a line in the machine's shell, checks that it exits with one of the statuses, and
// returns what it wrote. The line reads the input.
func (m *Machine) Types(line, input string, statuses ...int) string {
	m.t.Helper()
	shell, err := exec.LookPath("sh")
	if err != nil {
		m.t.Fatal(err)
	}
	var out bytes.Buffer
	cmd := exec.Command(shell, "-c", line) //nolint:noctx,gosec // of the test
	cmd.Env, cmd.Dir, cmd.Stdin, cmd.Stdout, cmd.Stderr = m.env, m.Home, strings.NewReader(input), &out, &out
	_ = cmd.Run() // the status is looked at
	if got := cmd.ProcessState.ExitCode(); !slices.Contains(statuses, got) {
		m.t.Fatalf("%s exits with %d, want one of %d\n%s", line, got, statuses, out.String())
	}
	return out.String()
}

// Folder is a folder of the machine.
func (m *Machine) Folder(name string) string {
	m.t.Helper()
	dir := filepath.Join(m.Home, name)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		m.t.Fatal(err)
	}
	return dir
}
