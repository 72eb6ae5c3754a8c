//go:build !linux

package books

import (
	"io/fs"
	"time"
)

// changedAt is when a file was last changed.
func changedAt(info fs.FileInfo) time.Time { return info.ModTime() }
