package books

import (
	"hash/maphash"
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

// same is the place in few of a file, whatever its names are; 0 where that is not known.
func same(seed maphash.Seed, info fs.FileInfo) uint64 {
	if st, ok := info.Sys().(*syscall.Stat_t); ok {
		return place(seed, st.Dev, st.Ino)
	}
	return 0
}
