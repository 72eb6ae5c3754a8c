package confine

import (
	"os"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// spareBytes is the memory that a worker may use in addition to that at the end of
// compilation and the guest's linear memory: its own heap, and the guest's call stack
// and tables.
const spareBytes = 128 << 20

// compileBytes is the maximum memory for compiling a module.
const compileBytes = 3 << 30

// pages is /proc/self/statm; nil if there is none.
var pages *os.File

// CompileMemory bounds the process while it compiles.
func CompileMemory() { limitData(compileBytes) }

// Memory bounds the process's private memory as a whole, so a guest cannot grow any
// part of the engine beyond it. guestBytes is the guest's maximum linear memory. At
// the bound the worker ends for lack of memory. Invariant 6: a guest cannot exceed its
// memory.
func Memory(guestBytes uint64) {
	if pages == nil {
		return
	}
	line := make([]byte, 128)
	n, _ := pages.ReadAt(line, 0)
	_ = pages.Close()
	pages = nil
	var held uint64 // private pages, by the sixth field
	if f := strings.Fields(string(line[:n])); len(f) > 5 {
		held, _ = strconv.ParseUint(f[5], 10, 64)
	}
	if held > 0 {
		limitData(held*uint64(os.Getpagesize()) + guestBytes + spareBytes)
	}
}

func limitData(n uint64) {
	if !raceDetector {
		limit(unix.RLIMIT_DATA, n)
	}
}
