package confine

import (
	"os"
	"strconv"
	"syscall"

	"golang.org/x/sys/unix"
)

// openFiles is how many files a worker may hold open: its pipes, the roots, and
// what a guest reads at once.
const openFiles = 1024

// Walls lists the walls of the running kernel.
func Walls() []Wall {
	files := Wall{Name: "Landlock", Detail: "the kernel has none, or it is turned off"}
	if v := landlockABI(); v > 0 {
		files.Holds, files.Detail = true, "version "+strconv.Itoa(v)
	}
	calls := Wall{Name: "seccomp", Detail: seccompMissing()}
	calls.Holds = calls.Detail == ""
	return []Wall{files, calls}
}

// Harden gives up what the process never needs. Each step is a wall behind
// others, so one that the system refuses is passed over.
func Harden() {
	// Both need /proc, which Restrict takes away.
	pages, _ = os.Open("/proc/self/statm")
	// Of host and worker, the worker goes first when the machine runs out of memory.
	_ = os.WriteFile("/proc/self/oom_score_adj", []byte("500"), 0)
	// No program that it could start would gain rights.
	_, _, _ = syscall.AllThreadsSyscall6(unix.SYS_PRCTL, unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0, 0)
	// Another process of the owner cannot read the records in its memory.
	_ = unix.Prctl(unix.PR_SET_DUMPABLE, 0, 0, 0, 0)
	// A crash leaves no image of them behind.
	limit(unix.RLIMIT_CORE, 0)
	limit(unix.RLIMIT_NOFILE, openFiles)
	limit(unix.RLIMIT_MEMLOCK, 0)
	limit(unix.RLIMIT_MSGQUEUE, 0)
}

// Restrict leaves the process the files of a and the system calls of a worker,
// for good. A wall that the kernel lacks is passed over; one that the kernel has
// and refuses is an error, after which the process must not go on.
func Restrict(a Access) error {
	if landlockABI() > 0 {
		if err := restrictFiles(a); err != nil {
			return err
		}
	}
	if a.Write == "" {
		limit(unix.RLIMIT_FSIZE, 0)
	}
	if seccompMissing() != "" {
		return nil
	}
	return restrictCalls(a.Write != "")
}

func limit(resource int, n uint64) { _ = unix.Setrlimit(resource, &unix.Rlimit{Cur: n, Max: n}) }
