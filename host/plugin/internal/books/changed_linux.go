package books

import (
	"io/fs"
	"syscall"
	"time"
)

// changedAt is when a file, or its name, was last changed: a copy keeps its old time of
// modification, and not this one.
func changedAt(info fs.FileInfo) time.Time {
	if st, ok := info.Sys().(*syscall.Stat_t); ok {
		return time.Unix(st.Ctim.Unix())
	}
	return info.ModTime()
}
