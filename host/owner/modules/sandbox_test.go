package modules_test

import (
	"strings"
	"testing"

	"github.com/pdpp-host/pdpp-host/host/config"
	"github.com/pdpp-host/pdpp-host/host/owner/modules"
	"github.com/pdpp-host/pdpp-host/host/plugin"
)

func TestSandboxIsToldAsItIs(t *testing.T) {
	t.Parallel()
	files := plugin.Wall{Name: "Landlock", Holds: true, Detail: "version 7"}
	calls := plugin.Wall{Name: "seccomp", Holds: true}
	none := plugin.Wall{Name: "seccomp", Detail: "the kernel has none"}
	for _, c := range []struct {
		isolation      string
		walls          []plugin.Wall
		brief, message string
		whole          bool
	}{
		{config.IsolationProcess, []plugin.Wall{files, calls}, "worker with Landlock and seccomp", "WebAssembly, a worker process, Landlock version 7, seccomp", true},
		{config.IsolationProcess, []plugin.Wall{files, none}, "worker with Landlock, no seccomp", "Landlock version 7; no seccomp: the kernel has none", false},
		{config.IsolationProcess, []plugin.Wall{none}, "worker, no seccomp", "WebAssembly, a worker process; no seccomp", false},
		{config.IsolationInline, []plugin.Wall{files, calls}, "inline", "in the host's own process", false},
	} {
		got := modules.SandboxOf(c.isolation, c.walls)
		if got.Brief != c.brief {
			t.Errorf("the run line says %q, want %q", got.Brief, c.brief)
		}
		if !strings.Contains(got.Message, c.message) {
			t.Errorf("doctor says %q, want %q in it", got.Message, c.message)
		}
		if (got.Hint == "") != c.whole {
			t.Errorf("%s: hint %q, want one only when a wall is missing", c.brief, got.Hint)
		}
	}
}
