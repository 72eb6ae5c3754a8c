package room

import (
	"unsafe"

	"golang.org/x/sys/windows"
)

// status is MEMORYSTATUSEX of the system's library.
type status struct {
	length, load                                                                uint32
	physical, free, pages, freePages, virtual, freeVirtual, freeVirtualExtended uint64
}

var globalMemoryStatus = windows.NewLazySystemDLL("kernel32.dll").NewProc("GlobalMemoryStatusEx")

// memory returns the bytes of memory of this machine.
func memory() (bytes uint64, known bool) {
	var s status
	s.length = uint32(unsafe.Sizeof(s))
	ok, _, _ := globalMemoryStatus.Call(uintptr(unsafe.Pointer(&s))) //nolint:gosec // how the system is called
	return s.physical, ok != 0
}
