//go:build !unix

package db

import (
	"io/fs"
	"os"
)

// checkOwner: a mode says nothing of other users here.
func checkOwner(string, fs.FileInfo) error { return nil }

// writable reports whether the mode lets this process write to path.
func writable(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().Perm()&0o200 != 0
}

// ownedByAnother names nobody: who owns a folder is not looked at here.
func ownedByAnother(string) string { return "" }
