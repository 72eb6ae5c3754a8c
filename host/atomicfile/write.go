package atomicfile

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"syscall"
)

// Write replaces the file at path, or makes it, readable and writable by its owner alone. Where
// it fails, the path is as it was, unless only the folder could not be synced. The folder has to exist.
func Write(path string, data []byte) error {
	dir, name := filepath.Split(path)
	f, err := os.CreateTemp(filepath.Clean(dir), "."+name+".*") // 0600
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if err = errors.Join(err, f.Sync(), f.Close()); err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		_ = os.Remove(f.Name()) // nobody reads it
		return err
	}
	return SyncDir(dir)
}

// SyncDir makes the names in a folder outlast a loss of power, where the system can do that.
func SyncDir(dir string) error {
	if runtime.GOOS == "windows" {
		return nil // it has no such call
	}
	d, err := os.Open(filepath.Clean(dir))
	if err != nil {
		return err
	}
	err = d.Sync()
	if errors.Is(err, syscall.EINVAL) { // some file systems cannot
		err = nil
	}
	return errors.Join(err, d.Close())
}
