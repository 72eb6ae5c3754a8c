package room

import (
	"os"
	"path"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// memory returns the bytes of memory that there are for this process: the machine's, or what
// its control groups leave.
func memory() (bytes uint64, known bool) {
	var info unix.Sysinfo_t
	if err := unix.Sysinfo(&info); err != nil {
		return 0, false
	}
	bytes = uint64(info.Totalram) * uint64(info.Unit) //nolint:unconvert // of another width elsewhere
	text, err := os.ReadFile("/proc/self/cgroup")
	if err != nil {
		return bytes, true
	}
	return limited(bytes, string(text), func(dir string) string {
		text, _ := os.ReadFile(path.Join("/sys/fs/cgroup", dir, "memory.max")) // there is none of the first
		return string(text)
	}), true
}

// limited returns the least of bytes and the limits of the groups that a process is in, the
// outer ones included (cgroups, version 2).
func limited(bytes uint64, groups string, limit func(dir string) string) uint64 {
	for line := range strings.Lines(groups) {
		dir, ok := strings.CutPrefix(strings.TrimSpace(line), "0::")
		for ; ok; dir = path.Dir(dir) {
			if n, err := strconv.ParseUint(strings.TrimSpace(limit(dir)), 10, 64); err == nil {
				bytes = min(bytes, n)
			}
			ok = path.IsAbs(dir) && dir != "/"
		}
	}
	return bytes
}
