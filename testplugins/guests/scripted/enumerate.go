//go:build wasip1 && enumerate

package main

// more is the call that a collector refuses to load, so that it stands behind a build tag.
func more(name string, ptr, size uint32) int32 {
	if name == "enumerate" {
		return hostEnumerate(ptr, size)
	}
	panic("no such call: " + name)
}

//go:wasmimport pdpp enumerate
func hostEnumerate(ptr, size uint32) int32
