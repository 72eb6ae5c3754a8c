package filecursor

import (
	"bytes"
	"io"
	"io/fs"
)

// mark is the mark of the byte order as UTF-8.
const mark = "\ufeff"

// lookedAt is how much of a file's beginning BeginsObject looks at.
const lookedAt = 128 << 10

// unmark leaves the mark of the byte order out of the line at hand: it stands at the beginning of a file, or
// of one that was glued to another, and is no part of the text.
func (s *Scanner) unmark() {
	if text, marked := bytes.CutPrefix(s.line, []byte(mark)); marked {
		s.line = text
		s.begun += int64(len(mark))
	}
}

// last makes the bytes behind the last LF the line at hand, if they are whole.
func (s *Scanner) last() bool {
	tail := s.buf[s.r:s.w]
	if s.Whole == nil || !s.ended || s.short || len(tail) == 0 || len(tail) > s.MaxLine || !s.isWhole(bytes.TrimPrefix(tail, []byte(mark))) {
		return false
	}
	s.line, s.begun = tail[:len(tail):len(tail)], s.base+int64(s.r)
	s.r, s.look = s.w, s.w
	s.lines++
	s.number = s.feeds + 1
	s.unmark()
	return true
}

// unwritten are the bytes of a block that was never written, and of blank space around it.
const unwritten = "\x00 \t\r"

// isWhole reports whether a last line is whole: a block that was never written, which nothing will be a part
// of, or what the caller calls whole, with such blocks around it.
func (s *Scanner) isWhole(tail []byte) bool {
	if bytes.IndexByte(tail, 0) < 0 {
		return s.Whole(tail)
	}
	written := bytes.Trim(tail, unwritten)
	return len(written) == 0 || s.Whole(written)
}

// BeginsObject reports whether a file begins like an object of JSON, so that a first line without an end may be
// one that is being written. It looks at the first 128 KiB; a file that cannot be read, or is empty, may be one.
func BeginsObject(fsys fs.FS, path string) bool {
	file, err := fsys.Open(path)
	if err != nil {
		return true
	}
	head, err := io.ReadAll(io.LimitReader(file, lookedAt))
	_ = file.Close() // only read
	if err != nil || len(head) == 0 {
		return true
	}
	begin := bytes.TrimLeft(head, mark+unwritten+"\n")
	return len(begin) > 0 && begin[0] == '{'
}

// behind finds where the lines behind a delivered part begin whose last line had no LF: behind the LF that it
// has now, or at the end of the file. goesOn: the line goes on, so it was not whole.
func (s *Scanner) behind() (goesOn bool, err error) {
	var next [1]byte
	for range maxIdle {
		n, err := s.file.Read(next[:])
		if n == 1 {
			s.sum.Write(next[:])
			s.base, s.begun, s.feeds = s.base+1, s.begun+1, s.feeds+1
			return next[0] != '\n', nil
		}
		if err == io.EOF { //nolint:errorlint // readers return io.EOF itself
			return false, nil
		}
		if err != nil {
			return false, err
		}
	}
	return false, io.ErrNoProgress
}

// LineAfter returns where the line behind an offset begins, at which a line ended for OpenAt: behind its LF,
// if that came later. goesOn says that the line in front of the offset goes on there: it was not whole.
func LineAfter(fsys fs.FS, path string, offset int64) (next int64, goesOn bool, err error) {
	if offset <= 0 {
		return 0, false, nil
	}
	file, err := fsys.Open(path)
	if err != nil {
		return 0, false, err
	}
	defer file.Close() //nolint:errcheck // only read
	seeker, ok := file.(io.ReadSeeker)
	if !ok {
		return 0, false, fs.ErrInvalid
	}
	if _, err := seeker.Seek(offset-1, io.SeekStart); err != nil {
		return 0, false, err
	}
	var around [2]byte
	n, err := io.ReadFull(seeker, around[:])
	switch {
	case n == 0:
		return 0, false, err
	case around[0] == '\n':
		return offset, false, nil
	case n == 1:
		return offset, false, nil // the file ends there
	case around[1] == '\n':
		return offset + 1, false, nil
	}
	return offset, true, nil
}
