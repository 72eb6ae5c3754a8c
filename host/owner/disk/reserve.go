package disk

import (
	"errors"
	"os"
	"path/filepath"
	"regexp"
)

// reserveName is the reserve's file beside the store. One that is empty was given back.
const reserveName = "reserve"

// Bounds of the reserve, in bytes.
const (
	leastReserve, mostReserve = 1 << 20, 32 << 20
	leastToDelete             = 1 << 18 // a transaction of the store's and its log
	shareOfDisk               = 16      // the reserve is at most one part of so many
	roomForReserve            = 4       // it is made where so many times its size is free
)

// Keep makes the reserve in a folder where there is none and room for it, and makes it
// again where it was given back and there is room once more.
func Keep(dir string) error {
	path, size := filepath.Join(dir, reserveName), wanted(dir)
	if free, known := Free(dir); !known || free < roomForReserve*size {
		return nil
	}
	if info, err := os.Lstat(path); err == nil && info.Size() > 0 {
		return nil
	}
	f, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	if err = allocate(f, size); err != nil {
		err = errors.Join(err, f.Truncate(0))
	}
	return errors.Join(err, f.Close())
}

// GiveBack gives the reserve of a folder back to its disk; where there is none, what a cache of
// compiled modules holds, which is made again when it is missing. It reports whether something that
// found no room may be tried again.
func GiveBack(dir, cache string) bool {
	path := filepath.Join(dir, reserveName)
	info, err := os.Lstat(path)
	if err == nil && info.Mode().IsRegular() && info.Size() > 0 && os.Truncate(path, 0) == nil {
		return true
	}
	if !sameDisk(dir, cache) || !empty(cache) {
		return roomToDelete(dir)
	}
	if f, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY, 0o600); err == nil {
		_ = f.Close() // it says that what was given back is for deletions
	}
	return true
}

// roomToDelete reports whether there is room for a small transaction in what a reserve has given
// back: the log of the transaction that failed is no longer in it.
func roomToDelete(dir string) bool {
	free, known := Free(dir)
	return known && given(dir) > 0 && free >= leastToDelete
}

// cached is the name of a folder in which a compiled module is kept: the hash of the module, and
// what it was compiled for.
var cached = regexp.MustCompile(`^[0-9a-f]{64}(-|$)`)

// empty removes the compiled modules of a cache, and reports whether there were any.
func empty(cache string) (was bool) {
	entries, _ := os.ReadDir(cache) // one that cannot be read has nothing to give
	for _, e := range entries {
		if cached.MatchString(e.Name()) && os.RemoveAll(filepath.Join(cache, e.Name())) == nil {
			was = true
		}
	}
	return was
}

// given returns how much a reserve has given back that was not made again.
func given(dir string) uint64 {
	if info, err := os.Lstat(filepath.Join(dir, reserveName)); err == nil && info.Size() == 0 {
		return wanted(dir)
	}
	return 0
}

func wanted(dir string) uint64 {
	size, _ := total(dir)
	return min(max(size/shareOfDisk, leastReserve), mostReserve)
}

// fill writes size bytes to f.
func fill(f *os.File, size uint64) error {
	zeros := make([]byte, leastReserve)
	for done := uint64(0); done < size; done += leastReserve {
		if _, err := f.WriteAt(zeros[:min(leastReserve, size-done)], int64(done)); err != nil {
			return err
		}
	}
	return f.Sync()
}
