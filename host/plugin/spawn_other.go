//go:build !linux

package plugin

import (
	"os"
	"os/exec"
)

// self is this program.
func self() string {
	exe, err := os.Executable()
	if err != nil {
		return os.Args[0]
	}
	return exe
}

// widen does nothing where a pipe has the size it has.
func widen(*os.File, int) {}

// shut does nothing where there is no one call for it.
func shut() {}

// awaitExit leaves the waiting to cmd.Wait, and says so.
func awaitExit(*exec.Cmd) bool { return false }
