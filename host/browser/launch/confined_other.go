//go:build !linux

package launch

// Confined reports that nothing is known: only Linux shows a process's walls to another.
func (*Process) Confined() (confined, known bool) { return false, false }
