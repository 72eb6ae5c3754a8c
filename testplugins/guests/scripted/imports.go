//go:build wasip1

package main

func invoke(name string, ptr, size uint32) int32 {
	switch name {
	case "manifest":
		return hostManifest(ptr, size)
	case "emit":
		return hostEmit(ptr, size)
	case "state":
		return hostState(ptr, size)
	case "gap":
		return hostGap(ptr, size)
	case "coverage":
		return hostCoverage(ptr, size)
	case "skip":
		return hostSkip(ptr, size)
	case "progress":
		return hostProgress(ptr, size)
	case "done":
		return hostDone(ptr, size)
	case "log":
		hostLog(1, ptr, size)
		return 0
	case "read":
		return read(1, ptr, size)
	case "last_error":
		return readError(ptr, size)
	}
	return more(name, ptr, size)
}

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
func submit(op int32, ptr, size uint32) int32

//go:wasmimport pdpp wait
func waitAny(timeout int32) int64

//go:wasmimport pdpp read
func read(handle int32, dst, size uint32) int32

//go:wasmimport pdpp last_error
func readError(dst, size uint32) int32
