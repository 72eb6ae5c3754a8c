package secret

import (
	"errors"
	"os"
	"path/filepath"

	"github.com/pdpp-host/pdpp-host/abi"
)

// WriteFile writes a secret as a line of a file that its owner alone can read, whole or not at
// all. Folders that are missing are made.
func WriteFile(path string, text []byte) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return unwritable(path, err)
	}
	f, err := os.CreateTemp(filepath.Dir(path), ".secret-*") // 0600
	if err != nil {
		return unwritable(path, err)
	}
	_, err = f.Write(append(text, '\n'))
	if err = errors.Join(err, f.Close()); err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		_ = os.Remove(f.Name()) // as far as it is there
		return unwritable(path, err)
	}
	return nil
}

func unwritable(path string, err error) error {
	return abi.NewError(abi.CodeUsage, "the file cannot be written, and nobody has the token", "choose another place, and make another token").WithDetail(path).Wrap(err)
}
