//go:build !linux

package spawn

import (
	"os"
	"os/exec"
)

// Program returns this program.
func Program() string {
	exe, err := os.Executable()
	if err != nil {
		return os.Args[0]
	}
	return exe
}

// GrowPipe does nothing, because the pipe's size is fixed.
func GrowPipe(*os.File, int) {}

// CloseOnExec does nothing, because there is no single call for it.
func CloseOnExec() {}

// AwaitExit leaves the waiting to cmd.Wait, and returns false.
func AwaitExit(*exec.Cmd) bool { return false }
