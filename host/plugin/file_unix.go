//go:build unix

package plugin

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"syscall"

	"github.com/pdpp-host/pdpp-host/abi"
)

// openNoFollow opens path for reading. It neither follows a link in path's
// last part nor waits for a named pipe's writer.
func openNoFollow(path string) (*os.File, error) {
	return os.OpenFile(path, os.O_RDONLY|syscall.O_NOFOLLOW|syscall.O_NONBLOCK|syscall.O_NOCTTY, 0)
}

// isLink reports whether err is O_NOFOLLOW's refusal. ENXIO is a socket's.
func isLink(err error) bool {
	return errors.Is(err, syscall.ELOOP) || errors.Is(err, syscall.EMLINK) || errors.Is(err, syscall.ENXIO)
}

// checkOwner refuses a module that others can write to, or that is another user's:
// whoever can change it decides what an owner is asked to accept. Root can anyway.
func checkOwner(path string, info fs.FileInfo) error {
	if perm := info.Mode().Perm(); perm&0o022 != 0 {
		return abi.NewError(abi.CodePluginUnsafe, "other users can write to the plugin file", "take that right away with: chmod go-w "+path).
			WithDetail(path + " has mode " + perm.String())
	}
	if st, ok := info.Sys().(*syscall.Stat_t); ok && st.Uid != 0 && int64(st.Uid) != int64(os.Geteuid()) {
		return abi.NewError(abi.CodePluginUnsafe, "the plugin file belongs to another user", "copy it, so that the copy is yours").
			WithDetail(fmt.Sprintf("%s belongs to user %d", path, st.Uid))
	}
	return nil
}

// CheckDir refuses a plugins folder that others than its owner can write to,
// since whoever can, runs code on this owner's data.
func CheckDir(dir string) error {
	info, err := os.Stat(dir)
	if err != nil {
		return openError(dir, err)
	}
	if info.Mode().Perm()&0o022 != 0 {
		return abi.NewError(abi.CodePluginsDirWritable, "other users can write to the plugins folder",
			"take that right away with: chmod go-w "+dir).WithDetail(dir + " has mode " + info.Mode().Perm().String())
	}
	return nil
}
