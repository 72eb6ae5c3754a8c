package rootfs

import (
	"encoding/hex"
	"errors"
	"io/fs"
	"os"
	"path"
	"strings"
	"unicode/utf8"

	"github.com/tetratelabs/wazero/experimental/sys"
)

// Spell writes a name in UTF-8, as WASI requires: each invalid byte becomes a
// backslash, an x and two hexadecimal digits.
func Spell(name string) string {
	if utf8.ValidString(name) {
		return name
	}
	var b strings.Builder
	for i := 0; i < len(name); {
		r, size := utf8.DecodeRuneInString(name[i:])
		if r == utf8.RuneError && size == 1 {
			b.WriteString(`\x` + hex.EncodeToString([]byte{name[i]}))
		} else {
			b.WriteString(name[i : i+size])
		}
		i += size
	}
	return b.String()
}

// unspell undoes Spell. Only bytes above DEL are ever encoded, so no encoding means a
// slash or a dot.
func unspell(p string) string {
	var b strings.Builder
	for {
		before, after, found := strings.Cut(p, `\x`)
		b.WriteString(before)
		if !found {
			return b.String()
		}
		if c, err := hex.DecodeString(after[:min(2, len(after))]); err == nil && len(c) == 1 && c[0] >= utf8.RuneSelf {
			b.WriteByte(c[0])
			after = after[2:]
		} else {
			b.WriteString(`\x`)
		}
		p = after
	}
}

// Away returns the name of a file that iCloud has taken off this machine, from the name of what
// it left in the file's place, and whether it is one.
func Away(name string) (file string, is bool) {
	file, is = strings.CutSuffix(name, ".icloud")
	if !is || len(file) < 2 || file[0] != '.' {
		return "", false
	}
	return file[1:], true
}

// placeholder is the opposite of Away.
func placeholder(p string) string { return path.Join(path.Dir(p), "."+path.Base(p)+".icloud") }

// Shown returns the name under which a listing of a folder shows one of its entries. A file that iCloud
// has taken off this machine is there, under its own name, and cannot be read: a file that is
// not listed would pass for a deleted one.
func Shown(root *os.Root, dir string, e fs.DirEntry) string {
	name := e.Name()
	if file, is := Away(name); is && e.Type().IsRegular() {
		if _, err := root.Lstat(path.Join(dir, file)); errors.Is(err, fs.ErrNotExist) {
			name = file
		}
	}
	return Spell(name)
}

// errnoOf returns the error for p; err is why it cannot be read. An entry that was
// listed in encoded form exists, but the guest has no name for it: EINVAL makes the
// guest report it. One that is away gives EIO.
func (f *FS) errnoOf(p string, err error) sys.Errno {
	errno := toErrno(err)
	if errno == sys.ENOENT {
		if info, err := f.root.Lstat(placeholder(unspell(p))); err == nil && info.Mode().IsRegular() {
			return sys.EIO
		}
	}
	if name := unspell(p); errno == sys.ENOENT && name != p {
		if _, err = f.root.Lstat(name); err == nil {
			return sys.EINVAL
		}
	}
	return errno
}
