package browser

import (
	"io/fs"
	"os"
)

// ours reports whether path names a file of that type. The folder for temporary files is this
// user's alone.
func ours(path string, kind fs.FileMode) bool {
	info, err := os.Lstat(path)
	return err == nil && info.Mode().Type() == kind
}
