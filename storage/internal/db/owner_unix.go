//go:build unix

package db

import (
	"fmt"
	"io/fs"
	"os"
	"os/user"
	"path/filepath"
	"strconv"
	"syscall"

	"golang.org/x/sys/unix"

	"github.com/pdpp-host/pdpp-host/abi"
)

// writable reports whether this process may write to path.
func writable(path string) bool { return unix.Access(path, unix.W_OK) == nil }

// ownedByAnother names the nearest folder at or above dir that there is and that can be
// looked at, with its owner and this user, where they differ; "" otherwise.
func ownedByAnother(dir string) string {
	for ; ; dir = filepath.Dir(dir) {
		info, err := os.Stat(dir)
		if err != nil && filepath.Dir(dir) != dir {
			continue
		}
		if err != nil {
			return ""
		}
		st, ok := info.Sys().(*syscall.Stat_t)
		if !ok || int64(st.Uid) == int64(os.Geteuid()) {
			return ""
		}
		return fmt.Sprintf("%s belongs to %s and has mode %s; this is %s", dir, userOf(int64(st.Uid)), info.Mode().Perm(), userOf(int64(os.Geteuid())))
	}
}

// userOf words a user, with its name where the system knows it.
func userOf(uid int64) string {
	id := strconv.FormatInt(uid, 10)
	if u, err := user.LookupId(id); err == nil {
		return "user " + u.Username + " (uid " + id + ")"
	}
	return "uid " + id
}

// checkOwner refuses a data folder or a store that is another user's, or that everybody
// can write to: what is in it decides which modules run and what is shown. Root can
// write to it anyway. From a group it takes the right to write, which a umask of 002
// gives to each new file.
func checkOwner(path string, info fs.FileInfo) error {
	if st, ok := info.Sys().(*syscall.Stat_t); ok && st.Uid != 0 && int64(st.Uid) != int64(os.Geteuid()) {
		return abi.NewError(abi.CodeStoreUnsafe, "the stored data belongs to another user", "run as the user who it belongs to, or use a data folder of your own").
			WithDetail(fmt.Sprintf("%s belongs to user %d", path, st.Uid))
	}
	mode := info.Mode()
	if mode&0o022 == 0 || mode&0o002 == 0 && os.Chmod(path, mode&^0o020) == nil {
		return nil
	}
	if mode.IsDir() && mode&fs.ModeSticky != 0 { // /tmp: to take the right away would break other programs
		return abi.NewError(abi.CodeStoreUnsafe, "the folder is shared with other users", "use a folder of your own, below "+path+" or elsewhere").
			WithDetail(fmt.Sprintf("%s has mode %s", path, mode))
	}
	return abi.NewError(abi.CodeStoreUnsafe, "other users can write to the stored data", "take that right away with: chmod go-w "+path).
		WithDetail(fmt.Sprintf("%s has mode %s", path, mode.Perm()))
}
