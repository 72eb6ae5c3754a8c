package disk

import (
	"errors"
	"os"
	"path/filepath"
)

// reserveName is the reserve's file beside the store. One that is empty was given back.
const reserveName = "reserve"

// Bounds of the reserve, in bytes.
const (
	leastReserve, mostReserve = 1 << 20, 32 << 20
	shareOfDisk               = 16 // the reserve is at most one part of so many
	roomForReserve            = 4  // it is made where so many times its size is free
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

// GiveBack gives the reserve of a folder back to its disk, and reports whether there was one.
func GiveBack(dir string) bool {
	path := filepath.Join(dir, reserveName)
	info, err := os.Lstat(path)
	return err == nil && info.Mode().IsRegular() && info.Size() > 0 && os.Truncate(path, 0) == nil
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
