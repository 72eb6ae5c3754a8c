package rootfs

import (
	"encoding/hex"
	"strings"
	"unicode/utf8"

	"github.com/tetratelabs/wazero/experimental/sys"
)

// spell writes a name as WASI demands it, in UTF-8: each byte that is none
// becomes a backslash, an x and its two hexadecimal digits.
func spell(name string) string {
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

// unspell undoes spell. Only bytes above DEL are ever spelled, so that no
// spelling stands for a slash or a dot.
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

// missing returns the error for p, of which err says why it cannot be looked
// at. What was listed under a spelling is not gone, it has no name that a guest
// could say: EINVAL, so that the guest tells of it.
func (f *FS) missing(p string, err error) sys.Errno {
	errno := toErrno(err)
	if name := unspell(p); errno == sys.ENOENT && name != p {
		if _, err = f.root.Lstat(name); err == nil {
			return sys.EINVAL
		}
	}
	return errno
}
