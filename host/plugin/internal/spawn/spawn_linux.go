package spawn

import (
	"errors"
	"os"
	"os/exec"
	"syscall"

	"golang.org/x/sys/unix"
)

// Dir is the working folder of a worker: one that always exists and that it does not
// use.
const Dir = "/"

// Attributes puts a worker into its own process group and makes the kernel kill it
// when this process dies.
func Attributes() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}

// Program returns this program, even if its file has been replaced.
func Program() string {
	if _, err := os.Stat("/proc/self/exe"); err == nil {
		return "/proc/self/exe"
	}
	exe, err := os.Executable()
	if err != nil {
		return os.Args[0]
	}
	return exe
}

// GrowPipe requests a larger pipe; if the system refuses, the window is smaller.
func GrowPipe(pipe *os.File, bytes int) {
	raw, err := pipe.SyscallConn()
	if err != nil {
		return
	}
	_ = raw.Control(func(fd uintptr) { _, _ = unix.FcntlInt(fd, unix.F_SETPIPE_SZ, bytes) })
}

// CloseOnExec marks every descriptor beyond the standard three to be closed when a program is
// started. The worker then inherits none that this process inherited, or that a
// library opened carelessly. Go's own already have the mark.
func CloseOnExec() { _ = unix.CloseRange(3, ^uint(0), unix.CLOSE_RANGE_CLOEXEC) }

// AwaitExit returns once the worker has ended, without reaping it: until then its
// process id, and that of its group, cannot be reused.
func AwaitExit(cmd *exec.Cmd) bool {
	for {
		err := unix.Waitid(unix.P_PID, cmd.Process.Pid, nil, unix.WEXITED|unix.WNOWAIT, nil)
		if !errors.Is(err, unix.EINTR) {
			return err == nil
		}
	}
}

// Kill kills the worker and every process of its group.
func Kill(cmd *exec.Cmd) { _ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
