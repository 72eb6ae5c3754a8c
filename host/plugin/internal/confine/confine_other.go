//go:build !linux

package confine

import "runtime"

// Walls lists the walls that this system lacks.
func Walls() []Wall {
	why := "this host builds them on Linux only, not on " + runtime.GOOS
	return []Wall{{Name: "Landlock", Detail: why}, {Name: "seccomp", Detail: why}}
}

// Harden does nothing here; WebAssembly and the process boundary remain.
func Harden() {}

// Restrict does nothing here.
func Restrict(Access) error { return nil }

// CompileMemory and Memory do nothing here; the guest's linear memory is bounded
// everywhere.
func CompileMemory() {}

// Memory does nothing here.
func Memory(uint64) {}
