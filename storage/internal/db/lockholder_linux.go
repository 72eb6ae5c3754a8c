package db

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"syscall"
)

// lockHolder returns the id of another process that has a write lock on the store at
// path or on the index beside it; 0 when none is seen. The kernel's list is read, and
// not the files: closing one would drop this process's own locks on it.
func lockHolder(path string) int {
	f, err := os.Open("/proc/locks")
	if err != nil {
		return 0
	}
	defer f.Close() //nolint:errcheck // only read
	return writerOf(f, fileNumber(path), fileNumber(path+"-shm"))
}

// fileNumber is a file as /proc/locks names it, major:minor:inode; "" when there is
// none.
func fileNumber(path string) string {
	info, err := os.Stat(path)
	if err != nil {
		return ""
	}
	st, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return ""
	}
	major, minor := (st.Dev>>8)&0xfff|(st.Dev>>32)&^0xfff, st.Dev&0xff|(st.Dev>>12)&^0xff
	return fmt.Sprintf("%02x:%02x:%d", major, minor, st.Ino)
}

// writerOf reads lines as proc_locks(5) describes them, such as
// "1: POSIX  ADVISORY  WRITE 4711 08:01:1234 120 120".
func writerOf(locks io.Reader, files ...string) int {
	own := os.Getpid()
	for lines := bufio.NewScanner(locks); lines.Scan(); {
		f := strings.Fields(lines.Text())
		if len(f) < 6 || f[3] != "WRITE" {
			continue
		}
		pid, err := strconv.Atoi(f[4])
		if err != nil || pid <= 0 || pid == own {
			continue
		}
		for _, file := range files {
			if file != "" && f[5] == file {
				return pid
			}
		}
	}
	return 0
}
