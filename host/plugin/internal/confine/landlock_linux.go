package confine

import (
	"fmt"

	"github.com/landlock-lsm/go-landlock/landlock"
	landlocksys "github.com/landlock-lsm/go-landlock/landlock/syscall"
)

// readOnly excludes the right to execute, because a worker starts no program.
const readOnly = landlock.AccessFSSet(landlocksys.AccessFSReadFile | landlocksys.AccessFSReadDir)

// truncates is the first version that governs truncation, in Linux 6.2.
const truncates = 3

// noLandlock governs nothing.
var noLandlock landlock.Config

// landlockABI returns the version that the kernel offers; 0 for none.
func landlockABI() int {
	v, err := landlocksys.LandlockGetABIVersion()
	if err != nil {
		return 0
	}
	return v
}

// restrictFiles makes a the only part of the file system that the process can open.
// Signals and abstract sockets are left to seccomp, because kernels before 6.15 treat
// the threads of one process as different subjects there.
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
