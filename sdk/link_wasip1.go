//go:build wasip1

package sdk

import (
	"io/fs"
	"os"
	"runtime"
	"time"
	"unsafe"

	"github.com/pdpp-host/pdpp-host/sdk/internal/link"
)

// Only scalars, because both compilers accept them in an import.

//go:wasmimport pdpp manifest
func hostManifest(ptr, size uint32) int32

//go:wasmimport pdpp emit
func hostEmit(ptr, size uint32) int32

//go:wasmimport pdpp state
func hostState(ptr, size uint32) int32

//go:wasmimport pdpp gap
func hostGap(ptr, size uint32) int32

//go:wasmimport pdpp coverage
func hostCoverage(ptr, size uint32) int32

//go:wasmimport pdpp skip
func hostSkip(ptr, size uint32) int32

//go:wasmimport pdpp progress
func hostProgress(ptr, size uint32) int32

//go:wasmimport pdpp done
func hostDone(ptr, size uint32) int32

//go:wasmimport pdpp log
func hostLog(level int32, ptr, size uint32)

//go:wasmimport pdpp submit
func hostSubmit(op int32, ptr, size uint32) int32

//go:wasmimport pdpp wait
func hostWait(timeoutMS int32) int64

//go:wasmimport pdpp read
func hostRead(handle int32, ptr, size uint32) int32

//go:wasmimport pdpp last_error
func hostLastError(ptr, size uint32) int32

// guest is the Link of a module. Buffers reach it through the interface and so are on
// the heap, which does not move; KeepAlive keeps them alive past the call.
var guest link.Link = imports{}

type imports struct{}

func span(b []byte) (ptr, size uint32) {
	return uint32(uintptr(unsafe.Pointer(unsafe.SliceData(b)))), uint32(len(b))
}

func (imports) Call(c link.Call, payload []byte) (result int32) {
	ptr, size := span(payload)
	switch c {
	case link.Manifest:
		result = hostManifest(ptr, size)
	case link.Emit:
		result = hostEmit(ptr, size)
	case link.State:
		result = hostState(ptr, size)
	case link.Gap:
		result = hostGap(ptr, size)
	case link.Coverage:
		result = hostCoverage(ptr, size)
	case link.Skip:
		result = hostSkip(ptr, size)
	case link.Progress:
		result = hostProgress(ptr, size)
	case link.Done:
		result = hostDone(ptr, size)
	}
	runtime.KeepAlive(payload)
	return result
}

func (imports) Log(level int32, text []byte) {
	ptr, size := span(text)
	hostLog(level, ptr, size)
	runtime.KeepAlive(text)
}

func (imports) Submit(op int32, request []byte) int32 {
	ptr, size := span(request)
	handle := hostSubmit(op, ptr, size)
	runtime.KeepAlive(request)
	return handle
}

func (imports) Wait(timeoutMS int32) int64 { return hostWait(timeoutMS) }

func (imports) Read(handle int32, dst []byte) int32 {
	ptr, size := span(dst)
	n := hostRead(handle, ptr, size)
	runtime.KeepAlive(dst)
	return n
}

func (imports) LastError(dst []byte) int32 {
	ptr, size := span(dst)
	n := hostLastError(ptr, size)
	runtime.KeepAlive(dst)
	return n
}

//go:wasmimport pdpp enumerate
func hostEnumerate(ptr, size uint32) int32

// enumerate makes the call. It is apart from the other calls, so that only a module that
// enumerates imports it: one that does not loads on every host and every collector.
func enumerate(_ link.Link, payload []byte) int32 {
	ptr, size := span(payload)
	result := hostEnumerate(ptr, size)
	runtime.KeepAlive(payload)
	return result
}

//go:wasmimport pdpp account
func hostAccount(ptr, size uint32) int32

// account makes the call. It is apart from the other calls, as enumerate is.
func account(_ link.Link, payload []byte) int32 {
	ptr, size := span(payload)
	result := hostAccount(ptr, size)
	runtime.KeepAlive(payload)
	return result
}

// mounted is the folder that the host mounted at the path. Only Root refers to
// it, so a module that reads no files imports no file calls.
type mounted string

func (m mounted) path(op, name string) (string, error) {
	if !fs.ValidPath(name) {
		return "", &fs.PathError{Op: op, Path: name, Err: fs.ErrInvalid}
	}
	if name == "." {
		return string(m), nil
	}
	return string(m) + "/" + name, nil
}

func (m mounted) Open(name string) (fs.File, error) {
	p, err := m.path("open", name)
	if err != nil {
		return nil, err
	}
	f, err := os.Open(p)
	if err != nil {
		return nil, err // never a typed nil
	}
	return f, nil
}

func (m mounted) Stat(name string) (fs.FileInfo, error) {
	p, err := m.path("stat", name)
	if err != nil {
		return nil, err
	}
	return os.Stat(p)
}

func (m mounted) ReadDir(name string) ([]fs.DirEntry, error) {
	p, err := m.path("readdir", name)
	if err != nil {
		return nil, err
	}
	return os.ReadDir(p)
}

func mount(_ link.Link, _, path string) fs.FS { return mounted(path) }

func clock(link.Link) time.Time { return time.Now() }
