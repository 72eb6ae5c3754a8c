package plugin

import (
	"errors"
	"os"
	"os/exec"
	"syscall"

	"golang.org/x/sys/unix"
)

// rootDir is the worker's working folder: one that is always there and that it
// has no business in.
const rootDir = "/"

// workerAttr puts the worker into a process group of its own and has the
// kernel kill it when this process dies.
func workerAttr() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}

// self is this very program, also when its file has been replaced since.
func self() string {
	if _, err := os.Stat("/proc/self/exe"); err == nil {
		return "/proc/self/exe"
	}
	exe, err := os.Executable()
	if err != nil {
		return os.Args[0]
	}
	return exe
}

// widen asks for a larger pipe; a system that refuses gets a smaller window.
func widen(pipe *os.File, bytes int) {
	raw, err := pipe.SyscallConn()
	if err != nil {
		return
	}
	_ = raw.Control(func(fd uintptr) { _, _ = unix.FcntlInt(fd, unix.F_SETPIPE_SZ, bytes) })
}

// shut keeps what this process inherited from whoever started it, and what a
// library opened carelessly, out of the worker: every descriptor beyond the
// standard three closes when a program is started. Go's own already do.
func shut() { _ = unix.CloseRange(3, ^uint(0), unix.CLOSE_RANGE_CLOEXEC) }

// awaitExit returns once the worker has ended, without reaping it: until then
// its process id, and that of its group, are its own.
func awaitExit(cmd *exec.Cmd) bool {
	for {
		err := unix.Waitid(unix.P_PID, cmd.Process.Pid, nil, unix.WEXITED|unix.WNOWAIT, nil)
		if !errors.Is(err, unix.EINTR) {
			return err == nil
		}
	}
}

// killWorker kills the worker and whatever shares its process group.
func killWorker(cmd *exec.Cmd) { _ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
