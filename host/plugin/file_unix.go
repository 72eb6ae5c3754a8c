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

// checkOwner refuses a module that everybody can write to, or that is another user's:
// whoever can change it decides what an owner is asked to accept. Root can anyway. From
// a group it takes the right to write, which a umask of 002 gives to each new file.
func checkOwner(f *os.File, info fs.FileInfo) error {
	if st, ok := info.Sys().(*syscall.Stat_t); ok && st.Uid != 0 && int64(st.Uid) != int64(os.Geteuid()) {
		return abi.NewError(abi.CodePluginUnsafe, "the plugin file belongs to another user", "copy it, so that the copy is yours").
			WithDetail(fmt.Sprintf("%s belongs to user %d", f.Name(), st.Uid))
	}
	if mode := info.Mode(); !madeOurs(mode, f.Chmod) {
		return abi.NewError(abi.CodePluginUnsafe, "other users can write to the plugin file", "take that right away with: chmod go-w "+f.Name()).
			WithDetail(f.Name() + " has mode " + mode.Perm().String())
	}
	return nil
}

// madeOurs reports whether only an owner can write to what has this mode, now that a
// group's right to do so is taken away.
func madeOurs(mode fs.FileMode, chmod func(fs.FileMode) error) bool {
	return mode&0o022 == 0 || mode&0o002 == 0 && chmod(mode&^0o020) == nil
}

// CheckDir refuses a plugins folder that everybody can write to, since whoever can,
// runs code on this owner's data. From a group it takes the right to write.
func CheckDir(dir string) error {
	info, err := os.Stat(dir)
	if err != nil {
		return openError(dir, err)
	}
	if !madeOurs(info.Mode(), func(mode fs.FileMode) error { return os.Chmod(dir, mode) }) {
		return abi.NewError(abi.CodePluginsDirWritable, "other users can write to the plugins folder",
			"take that right away with: chmod go-w "+dir).WithDetail(dir + " has mode " + info.Mode().Perm().String())
	}
	return nil
}
