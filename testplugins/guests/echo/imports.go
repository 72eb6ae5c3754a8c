//go:build wasip1

package main

import (
	"encoding/json"
	"runtime"
	"unsafe"
)

//go:wasmimport pdpp manifest
func hostManifest(ptr, size uint32) int32

//go:wasmimport pdpp emit
func hostEmit(ptr, size uint32) int32

//go:wasmimport pdpp done
func hostDone(ptr, size uint32) int32

//go:wasmimport pdpp submit
func hostSubmit(op int32, ptr, size uint32) int32

//go:wasmimport pdpp wait
func hostWait(timeout int32) int64

//go:wasmimport pdpp read
func hostRead(handle int32, dst, size uint32) int32

func place(b []byte) (ptr, size uint32) {
	return uint32(uintptr(unsafe.Pointer(unsafe.SliceData(b)))), uint32(len(b))
}

func pointer(b []byte) uint32 {
	if len(b) == 0 {
		return 0
	}
	return uint32(uintptr(unsafe.Pointer(unsafe.SliceData(b))))
}

// tell hands a message to one of the calls.
func tell(to func(ptr, size uint32) int32, message any) {
	b, err := json.Marshal(message)
	if err != nil {
		panic(err)
	}
	if to(pointer(b), uint32(len(b))) < 0 {
		panic("the host refuses a message")
	}
	runtime.KeepAlive(b)
}

// ask makes a request of an operation and returns the whole answer.
func ask(op int32, request []byte) []byte {
	handle := hostSubmit(op, pointer(request), uint32(len(request)))
	runtime.KeepAlive(request)
	if handle <= 0 {
		panic("the host refuses a request")
	}
	done := int64(0)
	for int32(done>>32) != handle {
		done = hostWait(-1)
	}
	answer := make([]byte, uint32(done))
	for n := 0; n < len(answer); {
		got := hostRead(handle, pointer(answer[n:]), uint32(len(answer)-n))
		if got <= 0 {
			panic("the answer cannot be read")
		}
		n += int(got)
	}
	return answer
}
