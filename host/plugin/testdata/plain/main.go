// Command plain is a test guest without files: it does what the answer to its
// start request tells it to.
package main

import (
	"strconv"
	"strings"
	"syscall"
	"time"
	"unsafe"
)

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

//go:wasmexport pdpp_abi_version
func abiVersion() int32 { return 1 }

//go:wasmexport pdpp_describe
func describe() int32 { return hostManifest(ptr(`{"connector_key":"plain"}`)) }

// ask submits a request, waits for it and reads the answer in small parts.
func ask(op int32, request string) string {
	p, n := ptr(request)
	h := hostSubmit(op, p, n)
	if h < 0 {
		return "refused " + lastError()
	}
	for {
		r := hostWait(-1)
		if int32(r>>32) == h {
			return read(h)
		}
	}
}

func read(h int32) string {
	var out []byte
	buf := make([]byte, 7)
	for {
		n := hostRead(h, unsafe.Pointer(&buf[0]), uint32(len(buf)))
		if n < 0 {
			return "refused " + lastError()
		}
		if n == 0 {
			return string(out)
		}
		out = append(out, buf[:n]...)
	}
}

func lastError() string {
	buf := make([]byte, 4096)
	n := hostLastError(unsafe.Pointer(&buf[0]), uint32(len(buf)))
	return string(buf[:n])
}

func say(s string) { p, n := ptr(s); hostLog(0, p, n) }

var sink [][]byte

//go:wasmexport pdpp_collect
func collect() int32 {
	verb, arg, _ := strings.Cut(ask(1, ""), " ")
	n, _ := strconv.Atoi(arg)
	switch verb {
	case "emit": // n batches of 64 KiB
		line := `{"type":"RECORD","stream":"s","key":"k","data":{"id":"k"}}` + "\n"
		batch := strings.Repeat(line, 65536/len(line))
		for range n {
			hostEmit(ptr(batch))
		}
	case "state":
		hostEmit(ptr("one"))
		hostState(ptr(`{"type":"STATE"}`))
		hostProgress(ptr(`{"type":"PROGRESS"}`))
		hostEmit(ptr("two"))
	case "hungry":
		for {
			b := make([]byte, 1<<20)
			for i := range b {
				b[i] = 1
			}
			sink = append(sink, b)
		}
	case "panic":
		panic("boom\x1b[31m")
	case "outpanic": // as TinyGo's runtime does
		println("before")
		syscall.Write(1, []byte("panic: boom"))
		syscall.Exit(2)
	case "print":
		println("to standard error")
		say("a log line\x1b[2J\nforged")
	case "logflood":
		for {
			say(strings.Repeat("x", 1000))
		}
	case "printflood":
		for {
			println("xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx")
		}
	case "outflood":
		b := strings.Repeat("x", 64<<10)
		for {
			hostEmit(ptr(b))
		}
	case "waitstop":
		p, _ := ptr("x")
		hostSubmit(6, p, 0)
		for hostWait(-1) != 0 {
		}
		say("stopped")
		if hostProgress(ptr("{}")) != 1 {
			say("no stop result")
		}
	case "many":
		var open []int32
		for range n {
			h := hostSubmit(6, nil, 0)
			if h < 0 {
				say("refused " + lastError())
				break
			}
			open = append(open, h)
		}
		for range open {
			r := hostWait(-1)
			say(strconv.Itoa(int(r>>32)) + "=" + read(int32(r>>32)))
		}
		say("idle " + strconv.FormatInt(hostWait(-1), 10))
	case "ask":
		say(ask(int32(n), "please"))
	case "clock":
		t := time.Now()
		time.Sleep(2 * time.Millisecond)
		if time.Since(t) < 2*time.Millisecond || t.Year() < 2024 {
			say("the clock stands")
		}
	case "code":
		return int32(n)
	case "spin":
		for i := 0; ; i++ {
			if i < 0 {
				break
			}
		}
	}
	hostDone(ptr(`{"type":"DONE"}`))
	if verb == "after" {
		hostEmit(ptr("more"))
	}
	return 0
}

func main() {}
