package confine

import (
	"fmt"

	"github.com/landlock-lsm/go-landlock/landlock"
	landlocksys "github.com/landlock-lsm/go-landlock/landlock/syscall"
)

// readOnly leaves out the right to execute: a worker starts no program.
const readOnly = landlock.AccessFSSet(landlocksys.AccessFSReadFile | landlocksys.AccessFSReadDir)

// truncates is the first version that governs truncation, of Linux 6.2.
const truncates = 3

// noLandlock governs nothing.
var noLandlock landlock.Config

// landlockABI is the version that the kernel offers; 0 is none.
func landlockABI() int {
	v, err := landlocksys.LandlockGetABIVersion()
	if err != nil {
		return 0
	}
	return v
}

// restrictFiles leaves a the only part of the file system that the process can
// open. Signals and abstract sockets are left to seccomp: kernels before 6.15 count
// the threads of one process as strangers to each other there.
func restrictFiles(a Access, files landlock.Config) error {
	rules := []landlock.Rule{landlock.PathAccess(readOnly, a.Read...).IgnoreIfMissing()}
	if a.Write != "" {
		rules = append(rules, landlock.RWDirs(a.Write))
	}
	if err := files.RestrictPaths(rules...); err != nil {
		return fmt.Errorf("landlock: %w", err)
	}
	return nil
}
