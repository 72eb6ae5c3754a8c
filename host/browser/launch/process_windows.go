package launch

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/windows"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/host/browser/pipe"
)

// stderrTime is how long a browser that has ended may still have children that hold what it says.
const stderrTime = 2 * time.Second

// Process is a browser that was started. Its caller ends it.
type Process struct {
	Pipe *pipe.Pipe
	PID  int

	options Options
	said    last
	status  int
	first   *os.Process
	ended   chan struct{}
}

// Start starts a browser. It does not wait until it can be used.
func Start(o Options) (*Process, error) {
	job, err := newJob()
	if err != nil {
		return nil, err
	}
	read, theirsOut, err := os.Pipe()
	if err != nil {
		return nil, errors.Join(err, windows.CloseHandle(job))
	}
	theirsIn, write, err := os.Pipe()
	if err != nil {
		return nil, errors.Join(err, read.Close(), theirsOut.Close(), windows.CloseHandle(job))
	}
	p := &Process{Pipe: pipe.New(read, write, abi.BrowserMessage), options: o, ended: make(chan struct{})}
	theirs := []syscall.Handle{syscall.Handle(theirsIn.Fd()), syscall.Handle(theirsOut.Fd())}
	cmd := exec.Command(o.Program, append(o.arguments(), fmt.Sprintf("--remote-debugging-io-pipes=%d,%d", theirs[0], theirs[1]))...) //nolint:gosec,noctx // the owner's choice; it is ended by its caller, step by step
	cmd.Env, cmd.Dir = append(o.environment(), "TEMP="+o.Temp, "TMP="+o.Temp, "LOCALAPPDATA="+o.Folder), o.Temp
	cmd.Stderr, cmd.WaitDelay = &p.said, stderrTime
	// It runs once it is in its job, so that it starts nothing outside.
	cmd.SysProcAttr = &syscall.SysProcAttr{AdditionalInheritedHandles: theirs, CreationFlags: windows.CREATE_SUSPENDED}
	for _, h := range theirs {
		err = errors.Join(err, windows.SetHandleInformation(windows.Handle(h), windows.HANDLE_FLAG_INHERIT, windows.HANDLE_FLAG_INHERIT))
	}
	if err == nil {
		err = cmd.Start()
	}
	_ = errors.Join(theirsIn.Close(), theirsOut.Close()) // the browser has its own copies
	if err == nil {
		if err = take(cmd.Process, job); err != nil {
			_ = cmd.Process.Kill()
			_ = cmd.Wait()
		}
	}
	if err != nil {
		_ = errors.Join(p.Pipe.Close(), windows.CloseHandle(job))
		return nil, abi.NewError(abi.CodeBrowserStart, "the browser "+o.Program+" cannot be started", "check that it is a program and may be run").Wrap(err)
	}
	p.PID, p.first = cmd.Process.Pid, cmd.Process
	go func() {
		defer close(p.ended)
		_ = cmd.Wait() // its status says more
		p.status = cmd.ProcessState.ExitCode()
		_ = windows.CloseHandle(job) // ends what is left of its processes
	}()
	return p, nil
}

// limits of a job stand at one address: they are handed over as a number.
var limits = windows.JOBOBJECT_EXTENDED_LIMIT_INFORMATION{
	BasicLimitInformation: windows.JOBOBJECT_BASIC_LIMIT_INFORMATION{LimitFlags: windows.JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE},
}

// newJob returns a job whose processes end with its last handle, also when this process is killed.
func newJob() (windows.Handle, error) {
	job, err := windows.CreateJobObject(nil, nil)
	if err != nil {
		return 0, err
	}
	_, err = windows.SetInformationJobObject(job, windows.JobObjectExtendedLimitInformation, uintptr(unsafe.Pointer(&limits)), uint32(unsafe.Sizeof(limits)))
	if err != nil {
		return 0, errors.Join(err, windows.CloseHandle(job))
	}
	return job, nil
}

// take puts a browser's first process, which was started suspended, into its job, where those that
// it starts are too, and has it run.
func take(first *os.Process, job windows.Handle) (err error) {
	withErr := first.WithHandle(func(h uintptr) { err = windows.AssignProcessToJobObject(job, windows.Handle(h)) })
	if err = errors.Join(err, withErr); err != nil {
		return err
	}
	return resume(uint32(first.Pid)) //nolint:gosec // a process id of Windows has 32 bits
}

// resume has the threads of a process that was started suspended run.
func resume(process uint32) error {
	all, err := windows.CreateToolhelp32Snapshot(windows.TH32CS_SNAPTHREAD, 0)
	if err != nil {
		return err
	}
	defer func() { _ = windows.CloseHandle(all) }()
	resumed := 0
	thread := windows.ThreadEntry32{Size: uint32(unsafe.Sizeof(windows.ThreadEntry32{}))}
	for err = windows.Thread32First(all, &thread); err == nil; err = windows.Thread32Next(all, &thread) {
		if thread.OwnerProcessID != process {
			continue
		}
		h, err := windows.OpenThread(windows.THREAD_SUSPEND_RESUME, false, thread.ThreadID)
		if err != nil {
			return err
		}
		_, err = windows.ResumeThread(h)
		if err = errors.Join(err, windows.CloseHandle(h)); err != nil {
			return err
		}
		resumed++
	}
	switch {
	case !errors.Is(err, windows.ERROR_NO_MORE_FILES):
		return err
	case resumed == 0:
		return fmt.Errorf("process %d has no thread to resume", process)
	}
	return nil
}

// Ended is closed when the browser's first process has ended, and the others were.
func (p *Process) Ended() <-chan struct{} { return p.ended }

// Reason is why the browser ended by itself, once Ended is closed.
func (p *Process) Reason() *abi.Error { return p.options.reason(p.status, p.said.String()) }

// Kill ends the browser and all of its job, and waits for that.
func (p *Process) Kill() {
	_ = p.first.Kill() // it may be gone
	<-p.ended
}
