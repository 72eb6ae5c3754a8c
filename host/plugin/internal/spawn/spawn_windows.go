package spawn

import (
	"os/exec"
	"syscall"
)

// Dir is the working folder of a worker.
const Dir = `C:\`

// Attributes puts a worker into its own process group, without a window.
func Attributes() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{HideWindow: true, CreationFlags: syscall.CREATE_NEW_PROCESS_GROUP}
}

// Kill kills the worker; os.Process detects that it is already reaped.
func Kill(cmd *exec.Cmd) { _ = cmd.Process.Kill() }
