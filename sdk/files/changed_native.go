//go:build !wasip1

package files

import (
	"io/fs"
	"time"
)

// changedMS is when the file was changed, as a test has it, in Sys of an fstest.MapFile. No test can
// set that of a file on a disk, and a cursor with it would differ each time.
func changedMS(info fs.FileInfo) int64 {
	if at, ok := info.Sys().(time.Time); ok {
		return at.UnixMilli()
	}
	return 0
}
