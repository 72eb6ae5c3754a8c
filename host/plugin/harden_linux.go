package plugin

import (
	"os"
	"strconv"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// workerFiles is how many files a worker may hold open: its pipes, the roots,
// and what a guest reads at once.
const workerFiles = 1024

// harden takes away what a worker never needs. Each step is a further wall
// behind the first two, so one that the system refuses is passed over.
func harden() {
	// No program that it could start would gain rights.
	_, _, _ = syscall.AllThreadsSyscall6(unix.SYS_PRCTL, unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0, 0)
	// A crash leaves no image of the owner's records behind.
	_ = unix.Setrlimit(unix.RLIMIT_CORE, &unix.Rlimit{})
	_ = unix.Setrlimit(unix.RLIMIT_NOFILE, &unix.Rlimit{Cur: workerFiles, Max: workerFiles})
	// Of the two, the worker goes first when the machine runs out of memory.
	_ = os.WriteFile("/proc/self/oom_score_adj", []byte("500"), 0)
}

// spareBytes is what a worker may take besides what it holds once the module
// is compiled and the guest's linear memory: its own heap, and the guest's call
// stack and tables.
const spareBytes = 128 << 20

// compileBytes is what compiling a module may take.
const compileBytes = 3 << 30

// confineCompile bounds the process while it compiles.
func confineCompile() { limitData(compileBytes) }

// confine bounds the process's private memory as a whole, whatever part of the
// engine a guest finds a way to grow. Beyond it the worker ends for lack of
// memory. Invariant 6: a guest cannot exceed its memory.
func confine(memoryBytes uint64) {
	var held uint64 // private pages, by the sixth field of statm
	b, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		return
	}
	if f := strings.Fields(string(b)); len(f) > 5 {
		held, _ = strconv.ParseUint(f[5], 10, 64)
	}
	limitData(held*uint64(os.Getpagesize()) + memoryBytes + spareBytes)
}

func limitData(n uint64) {
	if !raceDetector {
		_ = unix.Setrlimit(unix.RLIMIT_DATA, &unix.Rlimit{Cur: n, Max: n})
	}
}
