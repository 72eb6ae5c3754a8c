package disk

import "path/filepath"

// leastRoom is below what a run needs, in bytes: the store writes some megabytes at once.
const leastRoom = 4 << 20

// Full reports whether the disk of a data folder, or that of its store, has no room for a
// run. The bytes that the reserve has given back do not count: they are for deletions.
func Full(dir, store string) bool {
	return full(dir) || filepath.Dir(store) != filepath.Clean(dir) && full(filepath.Dir(store))
}

func full(dir string) bool {
	free, known := Free(dir)
	if !known {
		return false
	}
	least := uint64(leastRoom)
	if size := given(dir); size > 0 {
		least += size
	}
	return free < least
}
