package filecursor

import (
	"io"
	"io/fs"

	"github.com/pdpp-host/pdpp-host/sdk/sha256"
)

// GuardBytes is how much of a file's beginning Guards hashes, and tailBytes how much of the
// end of the part read.
const (
	GuardBytes = 64 << 10
	tailBytes  = 4 << 10
)

// Guards hashes the beginning and the end of the first offset bytes of a file, in hexadecimal,
// the latter shortened. That they are the same is no proof, as a Cursor is one, that nothing
// between them has changed; it is enough for a log, which a program only ever appends to, and
// costs the same for a file of any size.
func Guards(fsys fs.FS, path string, offset int64) (head, tail string, err error) {
	file, err := fsys.Open(path)
	if err != nil {
		return "", "", err
	}
	defer file.Close() //nolint:errcheck // only read
	seeker, ok := file.(io.ReadSeeker)
	if !ok {
		return "", "", fs.ErrInvalid
	}
	buf := make([]byte, min(offset, GuardBytes))
	if _, err := io.ReadFull(seeker, buf); err != nil {
		return "", "", err
	}
	sum := sha256.Sum256(buf)
	head = sha256.Hex(sum[:])
	n := min(offset, tailBytes)
	if _, err := seeker.Seek(offset-n, io.SeekStart); err != nil {
		return "", "", err
	}
	if _, err := io.ReadFull(seeker, buf[:n]); err != nil {
		return "", "", err
	}
	sum = sha256.Sum256(buf[:n])
	return head, sha256.Hex(sum[:8]), nil
}

// OpenAt has the scanner walk the complete lines behind an offset, at which a line begins. It
// compares and hashes nothing: the caller knows by Guards what is before the offset. Such
// a scan gives no plan and no cursor.
func (s *Scanner) OpenAt(fsys fs.FS, path string, offset int64) error {
	s.restart(fsys, path, Cursor{})
	s.unhashed = true
	err := s.open()
	if err == nil && offset > 0 {
		seeker, ok := s.file.(io.Seeker)
		if !ok {
			err = fs.ErrInvalid
		} else {
			_, err = seeker.Seek(offset, io.SeekStart)
		}
	}
	if err != nil {
		s.drop()
		return err
	}
	s.base, s.begun = offset, offset
	return nil
}

// Skipped returns how many oversized lines are before the current line.
func (s *Scanner) Skipped() int64 { return int64(len(s.skips)) }
