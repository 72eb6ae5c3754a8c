//go:build wasip1 && tinygo

package files

import (
	"io/fs"
	"syscall"
	"time"
)

// changedMS is when the file was changed, as the host has it; 0: not known.
func changedMS(info fs.FileInfo) int64 {
	if st, ok := info.Sys().(*syscall.Stat_t); ok {
		return time.Unix(int64(st.Ctim.Sec), int64(st.Ctim.Nsec)).UnixMilli()
	}
	return 0
}
