package confine

import (
	"os"
	"strconv"
	"syscall"

	"github.com/landlock-lsm/go-landlock/landlock"
	"golang.org/x/sys/unix"
)

// openFiles is the maximum number of open files of a worker: its pipes, the roots, and
// the files that a guest reads at once.
const openFiles = 1024

// visible describes what Landlock does not govern: lstat and readlink.
const visible = "names, sizes and times of other files, and where links lead, stay visible"

// Walls lists the walls of the running kernel.
func Walls() []Wall {
	return walls(landlockABI(), seccompMissing())
}

// walls returns the walls of a kernel with a version of Landlock, 0 for none. missing
// is why there is no filter of system calls; "" if there is one.
func walls(version int, missing string) []Wall {
	files := Wall{Name: "Landlock", Detail: "the kernel has none, or it is turned off"}
	if version > 0 {
		files.Holds, files.Detail = true, "version "+strconv.Itoa(version)+" ("+visible
		if version < truncates && missing != "" {
			files.Detail += "; a file that may be read can be emptied"
		}
		files.Detail += ")"
	}
	return []Wall{files, {Name: "seccomp", Holds: missing == "", Detail: missing}}
}

// Harden gives up rights that the process never needs. Each step is an additional
// wall, so a step that the system refuses is skipped.
func Harden() {
	// Both need /proc, which Restrict takes away.
	pages, _ = os.Open("/proc/self/statm")
	// If the machine runs out of memory, the worker is killed before the host.
	_ = os.WriteFile("/proc/self/oom_score_adj", []byte("500"), 0)
	// A started program would gain no rights.
	_, _, _ = syscall.AllThreadsSyscall6(unix.SYS_PRCTL, unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0, 0)
	// Another process of the owner cannot read the records in this one's memory.
	_ = unix.Prctl(unix.PR_SET_DUMPABLE, 0, 0, 0, 0)
	// A crash leaves no image of the records.
	limit(unix.RLIMIT_CORE, 0)
	limit(unix.RLIMIT_NOFILE, openFiles)
	limit(unix.RLIMIT_MEMLOCK, 0)
	limit(unix.RLIMIT_MSGQUEUE, 0)
}

// Restrict limits the process permanently to the files of a and the system calls of a
// worker. It skips a wall that the kernel lacks. If the kernel has a wall and refuses
// it, Restrict returns an error and the process must not continue.
func Restrict(a Access) error { return restrict(a, landlock.V11.BestEffort()) }

// restrict is Restrict with a given version of Landlock.
func restrict(a Access, files landlock.Config) error {
	if landlockABI() > 0 && files != noLandlock {
		if err := restrictFiles(a, files); err != nil {
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
