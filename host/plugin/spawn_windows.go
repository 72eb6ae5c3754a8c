package plugin

import (
	"os/exec"
	"syscall"
)

const rootDir = `C:\`

func workerAttr() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{HideWindow: true, CreationFlags: syscall.CREATE_NEW_PROCESS_GROUP}
}

// killWorker kills the worker; os.Process knows when it is already reaped.
func killWorker(cmd *exec.Cmd) { _ = cmd.Process.Kill() }
