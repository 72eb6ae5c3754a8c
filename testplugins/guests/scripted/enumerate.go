//go:build wasip1 && enumerate

package main

// more has the calls that an older host or collector refuses to load, so that they stand behind a
// build tag.
func more(name string, ptr, size uint32) int32 {
	switch name {
	case "enumerate":
		return hostEnumerate(ptr, size)
	case "account":
		return hostAccount(ptr, size)
	}
	panic("no such call: " + name)
}

//go:wasmimport pdpp enumerate
func hostEnumerate(ptr, size uint32) int32

//go:wasmimport pdpp account
func hostAccount(ptr, size uint32) int32
