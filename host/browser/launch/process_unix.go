//go:build unix

package launch

import (
	"errors"
	"os"
	"os/exec"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/host/browser/pipe"
)

// stderrTime is how long a browser that has ended may still have children that hold what it
// says.
const stderrTime = 2 * time.Second

// Process is a browser that was started. Its caller ends it.
type Process struct {
	Pipe *pipe.Pipe
	PID  int

	options Options
	said    last
	status  int
	ended   chan struct{}
}

// Start starts a browser. It does not wait until it can be used.
func Start(o Options) (*Process, error) {
	if os.Geteuid() == 0 && !o.Unsandboxed {
		return nil, asRoot()
	}
	read, theirsOut, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	theirsIn, write, err := os.Pipe()
	if err != nil {
		return nil, errors.Join(err, read.Close(), theirsOut.Close())
	}
	p := &Process{Pipe: pipe.New(read, write, abi.BrowserMessage), options: o, ended: make(chan struct{})}
	cmd := exec.Command(o.Program, o.arguments()...)                                            //nolint:gosec,noctx // the owner's choice; it is ended by its caller, step by step
	cmd.Env, cmd.Dir, cmd.ExtraFiles = o.environment(), o.Temp, []*os.File{theirsIn, theirsOut} // descriptors 3 and 4
	cmd.Stderr, cmd.WaitDelay = &p.said, stderrTime
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	err = cmd.Start()
	_ = errors.Join(theirsIn.Close(), theirsOut.Close()) // the browser has its own copies
	if err != nil {
		_ = p.Pipe.Close()
		return nil, abi.NewError(abi.CodeBrowserStart, "the browser "+o.Program+" cannot be started", "check that it is a program and may be run").Wrap(err)
	}
	p.PID = cmd.Process.Pid
	go func() {
		defer close(p.ended)
		_ = cmd.Wait() // its status says more
		p.status = cmd.ProcessState.ExitCode()
		_ = unix.Kill(-p.PID, unix.SIGKILL) // what is left of its group
	}()
	return p, nil
}

// Ended is closed when the browser's first process has ended, and its group was killed.
func (p *Process) Ended() <-chan struct{} { return p.ended }

// Reason is why the browser ended by itself, once Ended is closed.
func (p *Process) Reason() *abi.Error { return p.options.reason(p.status, p.said.String()) }

// Kill ends the browser and all of its group, and waits for that.
func (p *Process) Kill() {
	_ = unix.Kill(-p.PID, unix.SIGKILL) // it may be gone
	<-p.ended
}
