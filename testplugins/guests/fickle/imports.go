//go:build wasip1

package main

import "unsafe"

//go:wasmimport pdpp manifest
func hostManifest(p unsafe.Pointer, n uint32) int32

//go:wasmimport pdpp emit
func hostEmit(p unsafe.Pointer, n uint32) int32

//go:wasmimport pdpp state
func hostState(p unsafe.Pointer, n uint32) int32

//go:wasmimport pdpp progress
func hostProgress(p unsafe.Pointer, n uint32) int32

//go:wasmimport pdpp done
func hostDone(p unsafe.Pointer, n uint32) int32

//go:wasmimport pdpp log
func hostLog(level int32, p unsafe.Pointer, n uint32)

//go:wasmimport pdpp submit
func hostSubmit(op int32, p unsafe.Pointer, n uint32) int32

//go:wasmimport pdpp wait
func hostWait(ms int32) int64

//go:wasmimport pdpp read
func hostRead(handle int32, p unsafe.Pointer, n uint32) int32

//go:wasmimport pdpp last_error
func hostLastError(p unsafe.Pointer, n uint32) int32

func ptr(s string) (unsafe.Pointer, uint32) {
	return unsafe.Pointer(unsafe.StringData(s)), uint32(len(s))
}

func submit(op int32, request string) int32 {
	p, n := ptr(request)
	return hostSubmit(op, p, n)
}

func logLine(s string) {
	p, n := ptr(s)
	hostLog(0, p, n)
}

// await hands out the next answer; timeouts are counted and lived through.
func await(timeouts *int) (handle int32, answer string) {
	for {
		switch got := hostWait(5); {
		case got > 0:
			return int32(got >> 32), read(int32(got>>32), uint32(got))
		case got < 0:
			panic("nothing is in flight")
		}
		*timeouts++
	}
}

func read(handle int32, length uint32) string {
	buf := make([]byte, length+1)
	var n uint32
	for n < length {
		got := hostRead(handle, unsafe.Pointer(&buf[n]), length-n)
		if got <= 0 {
			panic("an answer is shorter than it was said to be")
		}
		n += uint32(got)
	}
	return string(buf[:n])
}

func lastError() string {
	buf := make([]byte, 4096)
	n := hostLastError(unsafe.Pointer(&buf[0]), uint32(len(buf)))
	return string(buf[:min(int(n), len(buf))])
}
