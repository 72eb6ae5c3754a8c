package launch

import (
	"bytes"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// Memory returns how many bytes the process root and those below it have for themselves, and
// which of those that run pages has most; 0: none does.
func Memory(root int) (used int64, largest int) {
	most := int64(0)
	for _, pid := range Tree(root) {
		dir := filepath.Join("/proc", strconv.Itoa(pid))
		status, err := os.ReadFile(filepath.Join(dir, "status"))
		if err != nil {
			continue // it has ended
		}
		own := anonymous(string(status))
		used += own
		if line, err := os.ReadFile(filepath.Join(dir, "cmdline")); err == nil && bytes.Contains(line, []byte("--type=renderer")) && own > most {
			most, largest = own, pid
		}
	}
	return used, largest
}

// anonymous is what a process's status says of the memory that no file is behind, in bytes.
func anonymous(status string) int64 {
	_, rest, _ := strings.Cut(status, "\nRssAnon:")
	line, _, _ := strings.Cut(rest, "\n")
	kib, _ := strconv.ParseInt(strings.TrimSpace(strings.TrimSuffix(line, "kB")), 10, 64) // 0: it has none any more
	return kib << 10
}

// End ends one process of a browser, which Memory has returned.
func End(pid int) { _ = unix.Kill(pid, unix.SIGKILL) } // it may have ended
