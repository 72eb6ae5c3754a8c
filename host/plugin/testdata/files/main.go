// Command files is a test guest with files: it does to the mounts what the
// answer to its start request tells it to, and logs what it sees.
package main

import (
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"unsafe"
)

//go:wasmimport pdpp manifest
func hostManifest(p unsafe.Pointer, n uint32) int32

//go:wasmimport pdpp emit
func hostEmit(p unsafe.Pointer, n uint32) int32

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

func ptr(s string) (unsafe.Pointer, uint32) {
	return unsafe.Pointer(unsafe.StringData(s)), uint32(len(s))
}

//go:wasmexport pdpp_abi_version
func abiVersion() int32 { return 1 }

//go:wasmexport pdpp_describe
func describe() int32 {
	// Nothing is granted yet.
	if _, err := os.ReadDir("/"); err == nil {
		return 1
	}
	if len(os.Args) > 0 && os.Args[0] != "" || len(os.Environ()) > 0 {
		return 2
	}
	return hostManifest(ptr(`{"connector_key":"files"}`))
}

func say(format string, a ...any) {
	p, n := ptr(fmt.Sprintf(format, a...))
	hostLog(0, p, n)
}

func start() string {
	h := hostSubmit(1, nil, 0)
	hostWait(-1)
	buf := make([]byte, 4096)
	n := hostRead(h, unsafe.Pointer(&buf[0]), uint32(len(buf)))
	return string(buf[:n])
}

// kind names an error the way a connector would look at it.
func kind(err error) string {
	switch {
	case err == nil:
		return "ok"
	case os.IsPermission(err):
		return "permission"
	case os.IsNotExist(err):
		return "not exist"
	default:
		return err.Error()
	}
}

//go:wasmexport pdpp_collect
func collect() int32 {
	for _, line := range strings.Split(start(), "\n") {
		verb, path, _ := strings.Cut(line, " ")
		switch verb {
		case "walk":
			err := filepath.WalkDir(path, func(p string, d fs.DirEntry, err error) error {
				if err != nil {
					say("%s %s", p, kind(err))
					return nil
				}
				info, err := d.Info()
				if err != nil {
					say("%s info %s", p, kind(err))
					return nil
				}
				say("%s %s %s", p, d.Type().String()[:1], info.Mode().String()[:1])
				return nil
			})
			say("walked %s", kind(err))
		case "read":
			b, err := os.ReadFile(path)
			say("%s %s %d %.40q", path, kind(err), len(b), b)
		case "stat":
			_, err := os.Stat(path)
			say("%s %s", path, kind(err))
		case "link":
			to, err := os.Readlink(path)
			say("%s %s %s", path, kind(err), to)
		case "write":
			say("create %s", kind(os.WriteFile(path, []byte("x"), 0o600)))
			_, err := os.OpenFile(path, os.O_RDWR, 0)
			say("rdwr %s", kind(err))
			_, err = os.OpenFile(path, os.O_WRONLY|os.O_APPEND, 0)
			say("append %s", kind(err))
		case "raw": // without the path cleaning of package os
			fd, err := syscall.Open(path, syscall.O_RDONLY, 0)
			say("%s %s", path, kind(err))
			if err == nil {
				syscall.Close(fd)
			}
		case "seek":
			f, err := os.Open(path)
			if err != nil {
				say("seek %s", kind(err))
				continue
			}
			_, err = f.Seek(-3, io.SeekEnd)
			b, _ := io.ReadAll(f)
			f.Close()
			say("seek %s %s", kind(err), b)
		case "pread":
			b := make([]byte, 5)
			f, err := os.Open(path)
			var n int
			if err == nil {
				n, err = f.ReadAt(b, 6)
				f.Close()
			}
			say("%s %s %q", path, kind(err), b[:n])
		case "sum": // reads the whole tree in 64 KiB pieces
			var total int64
			buf := make([]byte, 64<<10)
			filepath.WalkDir(path, func(p string, d fs.DirEntry, err error) error {
				if err != nil || !d.Type().IsRegular() {
					return nil
				}
				f, err := os.Open(p)
				if err != nil {
					return nil
				}
				defer f.Close()
				for {
					n, err := f.Read(buf)
					total += int64(n)
					if n > 0 {
						hostEmit(unsafe.Pointer(&buf[0]), uint32(n))
					}
					if err != nil {
						return nil
					}
				}
			})
			say("sum %d", total)
		}
	}
	hostDone(ptr(`{"type":"DONE"}`))
	return 0
}

func main() {}
