// Command wavering is a test guest whose manifest depends on the time and on chance.
package main

import (
	"crypto/rand"
	"encoding/hex"
	"time"
	"unsafe"
)

//go:wasmimport pdpp manifest
func hostManifest(p unsafe.Pointer, n uint32) int32

//go:wasmexport pdpp_abi_version
func abiVersion() int32 { return 1 }

//go:wasmexport pdpp_describe
func describe() int32 {
	var b [4]byte
	rand.Read(b[:])
	m := `{"connector_key":"` + hex.EncodeToString(b[:]) + `","version":"` + time.Now().UTC().Format("2006-01-02") + `"}`
	return hostManifest(unsafe.Pointer(unsafe.StringData(m)), uint32(len(m)))
}

//go:wasmexport pdpp_collect
func collect() int32 { return 0 }

func main() {}
