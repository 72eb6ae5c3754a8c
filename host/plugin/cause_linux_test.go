package plugin

import (
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/host/plugin/internal/guest"
)

// A worker that may have less memory than its connector says that the machine is at fault, and
// not the connector.
func TestMachineWithoutMemory(t *testing.T) {
	t.Parallel()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	shell, err := exec.LookPath("sh")
	if err != nil {
		t.Skip("needs sh")
	}
	limits := testLimits()
	limits.MemoryBytes = 3 << 30 // of addresses, of which the worker's own runtime needs less than one
	o := Options{Limits: limits, WorkerCommand: []string{shell, "-c", `ulimit -v 3000000; exec "$0" "$@"`, self, "plugin-worker"}}
	_, err = load(t, o, connector(nil).file())
	wantCode(t, err, guest.CodeMachineMemory)
	if text := err.Error(); !strings.Contains(text, "this machine") || strings.Contains(text, "fault in the plugin") {
		t.Errorf("got %q, want the machine's own fault", text)
	}
	limits.MemoryBytes = 64 << 20
	o.Limits = limits
	if _, err := load(t, o, connector(nil).file()); err != nil {
		t.Errorf("got %v with room for the connector, want no error", err)
	}
}

// A process that may open no more files says so when a worker cannot be started.
func TestWorkerWithoutDescriptors(t *testing.T) {
	t.Parallel()
	for _, cause := range []error{&os.PathError{Op: "pipe2", Err: syscall.EMFILE}, &exec.Error{Name: "x", Err: syscall.EMFILE}} {
		err := startError(cause)
		if e, ok := err.(*abi.Error); !ok || !strings.Contains(e.Hint, "ulimit -n") { //nolint:errorlint // it is made here
			t.Errorf("%v: got %v, want the limit of open files", cause, err)
		}
	}
}
