package rootfs

import (
	"encoding/hex"
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

// errnoOf returns the error for p; err is why it cannot be read. An entry that was
// listed in encoded form exists, but the guest has no name for it: EINVAL makes the
// guest report it.
func (f *FS) errnoOf(p string, err error) sys.Errno {
	errno := toErrno(err)
	if name := unspell(p); errno == sys.ENOENT && name != p {
		if _, err = f.root.Lstat(name); err == nil {
			return sys.EINVAL
		}
	}
	return errno
}
