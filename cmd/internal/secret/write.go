package secret

import (
	"os"
	"path/filepath"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/host/atomicfile"
)

// WriteFile writes a secret as a line of a file that its owner alone can read, whole or not at
// all. Folders that are missing are made.
func WriteFile(path string, text []byte) error {
	err := os.MkdirAll(filepath.Dir(path), 0o700)
	if err == nil {
		err = atomicfile.Write(path, append(text, '\n'))
	}
	if err != nil {
		return abi.NewError(abi.CodeUsage, "the file cannot be written, and nobody has the token", "choose another place, and make another token").WithDetail(path).Wrap(err)
	}
	return nil
}
