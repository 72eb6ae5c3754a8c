package launch

import (
	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/host/browser/pipe"
)

// Process is a browser that was started.
type Process struct {
	Pipe *pipe.Pipe
	PID  int
}

// Start says that a browser is not started on Windows: its pipe goes by handles there, which
// nobody has tried.
func Start(Options) (*Process, error) {
	return nil, abi.NewError(abi.CodeBrowserStart, "a browser is not started on Windows yet", "collect on Linux or macOS")
}

// Ended is never closed.
func (*Process) Ended() <-chan struct{} { return nil }

// Reason is nil.
func (*Process) Reason() *abi.Error { return nil }

// Kill does nothing.
func (*Process) Kill() {}
