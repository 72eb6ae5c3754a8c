package tutorial

import (
	"bytes"
	"context"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/pdpp-host/pdpp-host/testplugins/rig"
)

// address is the one that the page serves its API at. Here it is a free one.
const address = "127.0.0.1:8940"

// maxLines is how long the page's connector may be with its tests: a list, details,
// deletions, and the contract.
const maxLines = 150

// Each command of the page does what the page says, and its connector is small.
func TestTutorial(t *testing.T) {
	t.Parallel()
	if testing.Short() || runtime.GOOS == "windows" {
		t.Skip("builds modules, by the commands of a shell")
	}
	text, err := os.ReadFile("../../docs/tutorial.md")
	if err != nil {
		t.Fatal(err)
	}
	steps, err := Read(strings.ReplaceAll(string(text), address, freeAddress(t)))
	if err != nil {
		t.Fatal(err)
	}
	home := t.TempDir()
	said := follow(t, home, steps)
	for i, s := range steps {
		if missing, ok := Shows(said[i], s.Says); !ok {
			t.Errorf("docs/tutorial.md:%d: the commands print no line %q:\n%s", s.Line, missing, said[i])
		}
	}
	lines := 0
	sources, err := filepath.Glob(filepath.Join(home, "bookshelf", "*.go"))
	if err != nil || len(sources) != 3 {
		t.Errorf("got the sources %q (%v), want three", sources, err)
	}
	for _, name := range sources {
		source, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		lines += bytes.Count(source, []byte("\n"))
	}
	if lines >= maxLines {
		t.Errorf("the connector and its tests have %d lines, want fewer than %d", lines, maxLines)
	}
	if !slices.ContainsFunc(said, func(s string) bool { return strings.Contains(s, "1 deleted") }) {
		t.Error("got no run that deletes a record, want one")
	}
}

// freeAddress is one that nobody listens at.
func freeAddress(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = l.Close() }()
	return l.Addr().String()
}

// follow takes the steps in one shell, in an empty home, and returns what each printed.
func follow(t *testing.T, home string, steps []Step) []string {
	t.Helper()
	checkout, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	bin := t.TempDir()
	if err := rig.Compile(filepath.Join(bin, "pdpp-host"), "cmd/pdpp-host", ""); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(checkout, filepath.Join(home, "pdpp-host")); err != nil {
		t.Fatal(err)
	}
	const mark = "@@ step "
	var script strings.Builder
	script.WriteString("set -e\n")
	for i, s := range steps {
		script.WriteString("echo '" + mark + strconv.Itoa(i) + "'\n")
		if s.File != "" {
			script.WriteString("cat > " + s.File + " <<'END OF FILE'\n" + s.Text + "END OF FILE\n")
		} else {
			script.WriteString(s.Text)
		}
	}
	ctx, cancel := context.WithTimeout(t.Context(), 8*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, "sh", "-c", script.String()) //nolint:gosec // the page is ours
	cmd.Dir, cmd.WaitDelay = home, 5*time.Second
	cmd.Env = []string{"HOME=" + home, "PATH=" + bin + string(os.PathListSeparator) + os.Getenv("PATH"), "PDPP_CREDENTIALS_KEY=file"}
	for _, name := range []string{"GOCACHE", "GOMODCACHE", "GOFLAGS", "GOPROXY"} {
		value, err := exec.Command("go", "env", name).Output()
		if err != nil {
			t.Fatal(err)
		}
		cmd.Env = append(cmd.Env, name+"="+strings.TrimSpace(string(value)))
	}
	out, err := cmd.CombinedOutput()
	parts := strings.Split(string(out), mark)[1:]
	if err != nil || len(parts) != len(steps) {
		last := steps[max(len(parts)-1, 0)]
		t.Fatalf("docs/tutorial.md:%d: got %v, want the commands to succeed:\n%s", last.Line, err, parts[len(parts)-1])
	}
	return parts
}
