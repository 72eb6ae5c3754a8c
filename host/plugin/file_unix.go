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

// openNoFollow opens path for reading. It neither follows a link in path's last part
// nor waits for a named pipe's writer.
func openNoFollow(path string) (*os.File, error) {
	return os.OpenFile(path, os.O_RDONLY|syscall.O_NOFOLLOW|syscall.O_NONBLOCK|syscall.O_NOCTTY, 0)
}

// isLink reports whether err is O_NOFOLLOW's refusal. ENXIO is a socket's.
func isLink(err error) bool {
	return errors.Is(err, syscall.ELOOP) || errors.Is(err, syscall.EMLINK) || errors.Is(err, syscall.ENXIO)
}

// checkOwner refuses a module that everybody can write to, or that belongs to another
// user, because a writer controls the manifest that an owner is asked to accept. Root
// can write anyway. It removes a group's write permission, which a umask of 002 gives
// to each new file.
func checkOwner(f *os.File, info fs.FileInfo) error {
	if st, ok := info.Sys().(*syscall.Stat_t); ok && st.Uid != 0 && int64(st.Uid) != int64(os.Geteuid()) {
		return abi.NewError(abi.CodePluginUnsafe, "the plugin file belongs to another user", "copy it, so that the copy is yours").
			WithDetail(fmt.Sprintf("%s belongs to user %d", f.Name(), st.Uid))
	}
	if mode := info.Mode(); !ownerOnly(mode, f.Chmod) {
		return abi.NewError(abi.CodePluginUnsafe, "other users can write to the plugin file", "take that right away with: chmod go-w "+f.Name()).
			WithDetail(f.Name() + " has mode " + mode.Perm().String())
	}
	return nil
}

// ownerOnly reports whether only the owner can write to a file with this mode, after
// removing the group's write permission.
func ownerOnly(mode fs.FileMode, chmod func(fs.FileMode) error) bool {
	return mode&0o022 == 0 || mode&0o002 == 0 && chmod(mode&^0o020) == nil
}

// CheckDir refuses a plugins folder that everybody can write to, because a writer can
// run code on this owner's data. It removes a group's write permission.
func CheckDir(dir string) error {
	info, err := os.Stat(dir)
	if err != nil {
		return openError(dir, err)
	}
	if !ownerOnly(info.Mode(), func(mode fs.FileMode) error { return os.Chmod(dir, mode) }) {
		return abi.NewError(abi.CodePluginsDirWritable, "other users can write to the plugins folder",
			"take that right away with: chmod go-w "+dir).WithDetail(dir + " has mode " + info.Mode().Perm().String())
	}
	return nil
}
