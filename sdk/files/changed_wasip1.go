//go:build !tinygo

package files

import (
	"io/fs"
	"syscall"
	"time"
)

// changedMS is when the file was changed, as the host has it; 0: not known.
func changedMS(info fs.FileInfo) int64 {
	if st, ok := info.Sys().(*syscall.Stat_t); ok {
		return int64(st.Ctime) / int64(time.Millisecond) //nolint:gosec // of this age
	}
	return 0
}
