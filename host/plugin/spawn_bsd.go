//go:build unix && !linux

package plugin

import (
	"os/exec"
	"syscall"
)

// rootDir is the worker's working folder.
const rootDir = "/"

// workerAttr puts the worker into a process group of its own. It learns of
// this process's death by the end of its standard input.
func workerAttr() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }

// killWorker kills the worker; os.Process knows when it is already reaped.
func killWorker(cmd *exec.Cmd) { _ = cmd.Process.Kill() }
