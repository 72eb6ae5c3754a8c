//go:build !linux

package plugin

// harden does nothing here; WebAssembly and the process boundary remain.
func harden() {}

// confineCompile and confine do nothing here; the guest's linear memory is
// bounded everywhere.
func confineCompile() {}

func confine(uint64) {}
