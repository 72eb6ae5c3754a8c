package cursor

import "github.com/pdpp-host/pdpp-host/sdk"

// A Saver writes a cursor after the pages of a list, but a large one not after each: all
// cursors of a run together stay in proportion to what it emits.
type Saver struct {
	Host    *sdk.Host
	Stream  string
	Version int64
	Whose   sdk.Account
	Value   Value

	size  int   // of the last cursor
	since int64 // records emitted when it was written
	pages int   // since then
}

const (
	// pagesPerSlice is after how many pages the cursor is written in any case.
	pagesPerSlice = 20
	// recordBytes is what a record counts for beside the cursor.
	recordBytes = 500
)

// Page ends a page of the list: id names the slice that may end with it.
func (s *Saver) Page(id string) error {
	s.pages++
	emitted := s.Host.Emitted() - s.since
	if int64(s.size) > 4*recordBytes*emitted+4096 && s.pages < pagesPerSlice {
		return nil
	}
	return s.Save(id)
}

// Save writes the cursor now.
func (s *Saver) Save(id string) error {
	b := Encode(s.Version, s.Whose, s.Value)
	s.size, s.since, s.pages = len(b), s.Host.Emitted(), 0
	return s.Host.Slice(s.Stream, id, b)
}

// Pace says when to write a cursor after so many bytes of files, rarely when the cursor itself
// is large.
type Pace struct {
	Every int64 // bytes at least

	read, size int64
}

// shareOfRead is how many bytes are read for each byte of cursor.
const shareOfRead = 16

// Read counts bytes that were read.
func (p *Pace) Read(bytes int64) { p.read += bytes }

// Due reports whether enough was read since the last Wrote.
func (p *Pace) Due() bool { return p.read >= max(p.Every, shareOfRead*p.size) }

// Wrote notes a cursor of so many bytes.
func (p *Pace) Wrote(size int) { p.read, p.size = 0, int64(size) }
