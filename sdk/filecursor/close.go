package filecursor

import (
	"bytes"
	"errors"
	"io/fs"

	"github.com/pdpp-host/pdpp-host/sdk/files"
)

// Change describes what happened to a file while it was read.
type Change uint8

// The changes.
const (
	// Stable: nothing.
	Stable Change = iota
	// Grew: the file was appended to, or touched; the delivered part did not change.
	Grew
	// Rewritten: the file no longer contains the delivered part.
	Rewritten
	// Vanished: the file no longer exists.
	Vanished
)

// String returns the change's name.
func (c Change) String() string {
	switch c {
	case Stable:
		return "stable"
	case Grew:
		return "grew"
	case Rewritten:
		return "rewritten"
	case Vanished:
		return "vanished"
	}
	return "unknown"
}

// Result is the outcome of reading one file.
type Result struct {
	Plan   Plan
	Change Change
	// Cursor is the cursor to keep. It points behind the last delivered line. It is the
	// one given to Open when the file was rewritten or vanished meanwhile, or could not
	// be read to its end; the delivered lines are then delivered again next time.
	Cursor Cursor
	// Advanced reports whether Cursor is behind every delivered line.
	Advanced bool
	Lines    int64 // delivered
	Bytes    int64 // of delivered and oversized lines, with their LF
	// TornBytes counts the bytes behind the last LF, which wait for the next run unless they were Whole.
	TornBytes int64
	Oversized []Oversized // good until the next Open
}

// Close looks at the file again and returns the cursor to keep. It may be called before
// the last line; the rest then belongs to the next run. The error is a failure to read
// or to look again; the Result is valid in any case.
func (s *Scanner) Close() (Result, error) {
	res := Result{Plan: s.plan, Cursor: s.prior, Lines: s.lines, Oversized: s.skips}
	if s.file == nil {
		res.Advanced = s.plan == Skip
		return res, nil
	}
	defer s.drop()
	res.Bytes = s.Position()
	if s.plan == Append {
		res.Bytes -= s.prior.Offset
	}
	if s.ended {
		res.TornBytes = max(s.info.Size()-s.Position(), 0)
	}
	if s.err != nil {
		return res, s.err
	}
	next := s.Cursor()
	if s.ended {
		next.Size = s.info.Size()
	}
	var err error
	if res.Change, err = s.changed(next); err != nil {
		return res, err
	}
	if res.Change == Stable || res.Change == Grew {
		res.Cursor, res.Advanced = next, true
	}
	return res, nil
}

// changed compares the file with its state at the opening.
func (s *Scanner) changed(next Cursor) (Change, error) {
	info, err := fs.Stat(s.fsys, s.path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return Vanished, nil
	case err != nil:
		return Stable, err
	case s.short || info.Size() < next.Offset:
		return Rewritten, nil
	case s.unhashed, info.ModTime().Equal(s.info.ModTime()) && files.StampOf(info).Same(files.StampOf(s.info)):
		return Stable, nil
	}
	f, err := s.fsys.Open(s.path)
	if err != nil {
		return Rewritten, err
	}
	defer f.Close() //nolint:errcheck // only read
	s.sum.Reset()
	same, _, err := s.prefixIs(f, next.Offset, next.PrefixSHA256)
	if err != nil || !same {
		return Rewritten, err
	}
	return Grew, nil
}

// drop closes the file.
func (s *Scanner) drop() {
	if s.file != nil {
		_ = s.file.Close() // only read
	}
	s.file, s.line = nil, nil
}

// passOver reads to the end of a line above MaxLine without buffering it. It reports
// false when the file ends first: the line is then torn and stays for the next run.
func (s *Scanner) passOver() bool {
	s.hash()
	start := s.base + int64(s.r)
	behind := s.sum.Sum() // the cursor's state if the line turns out to be torn
	for {
		// The whole window is one part of the line.
		if !s.unhashed {
			s.sum.Write(s.buf[s.r:s.w])
		}
		s.base += int64(s.w)
		s.r, s.w, s.look, s.hashed = 0, 0, 0, 0
		if !s.fill() {
			// Back to before the line: nothing of it is kept.
			s.base, s.r, s.w, s.look, s.hashed = start, 0, 0, 0, 0
			s.cut = &behind
			return false
		}
		i := bytes.IndexByte(s.buf[:s.w], '\n')
		if i < 0 {
			continue
		}
		s.feeds++
		s.skips = append(s.skips, Oversized{start, s.base + int64(i) - start, s.feeds})
		s.r, s.look = i+1, i+1 // hashed with the lines behind it
		return true
	}
}
