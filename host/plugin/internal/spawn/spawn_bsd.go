//go:build unix && !linux

package spawn

import (
	"os/exec"
	"syscall"
)

// Dir is the working folder of a worker.
const Dir = "/"

// Attributes puts a worker into its own process group. The worker notices this
// process's death by the end of its standard input.
func Attributes() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }

// Kill kills the worker; os.Process detects that it is already reaped.
func Kill(cmd *exec.Cmd) { _ = cmd.Process.Kill() }
