package filecursor

import (
	"github.com/pdpp-host/pdpp-host/sdk/cursor"
	"github.com/pdpp-host/pdpp-host/sdk/files"
	"github.com/pdpp-host/pdpp-host/sdk/jsonappend"
	"github.com/pdpp-host/pdpp-host/sdk/jsonvalue"
	"github.com/pdpp-host/pdpp-host/sdk/sha256"
)

// Cursor is the knowledge of one file. The zero Cursor knows nothing, so the file is
// read from its start. It is a plain value; copy it freely.
type Cursor struct {
	// Offset is how many bytes of the file were delivered. The byte before it
	// is a line feed, unless it is 0, or the last line was Whole without one.
	Offset int64
	// PrefixSHA256 is the hash of these bytes.
	PrefixSHA256 [32]byte
	// Size and MTimeMS (Unix milliseconds) describe the file when it was opened, before
	// it was read, so that a later change shows. In a cursor taken in the middle of a
	// file Size is Offset, so that the rest shows.
	Size    int64
	MTimeMS int64
	// CTimeMS is when it was changed in any way; 0: not known, as in cursors of earlier versions.
	CTimeMS int64
	known   bool
}

// Known reports whether c describes a file.
func (c Cursor) Known() bool { return c.known }

// Stamp returns that of the file when it was opened.
func (c Cursor) Stamp() files.Stamp {
	return files.Stamp{Size: c.Size, MTimeMS: c.MTimeMS, CTimeMS: c.CTimeMS}
}

// Same reports whether a file with the stamp is as it was when it was opened.
func (c Cursor) Same(now files.Stamp) bool { return c.known && c.Stamp().Same(now) }

// Learn has c take over when the file was changed if it lacks that, and reports whether it did.
func Learn(c *Cursor, now files.Stamp) bool {
	s := c.Stamp()
	learned := files.Learn(&s, now)
	c.CTimeMS = s.CTimeMS
	return learned
}

// The members of a cursor in JSON.
const (
	nameOffset = "committed_offset_bytes"
	namePrefix = "committed_prefix_sha256"
	nameSize   = "observed_size_bytes"
	nameMTime  = "observed_mtime_ms"
	nameCTime  = "ctime_ms"
)

// AppendJSON appends c as an object of its members, null when it is the
// zero Cursor.
func (c Cursor) AppendJSON(dst []byte) []byte {
	if !c.known {
		return jsonappend.Null(dst)
	}
	return append(c.appendMembers(append(dst, '{')), '}')
}

// appendMembers appends the members of the object that dst is inside.
func (c Cursor) appendMembers(dst []byte) []byte {
	dst = jsonappend.Int(jsonappend.Name(dst, nameOffset), c.Offset)
	dst = jsonappend.String(jsonappend.Name(dst, namePrefix), sha256.Hex(c.PrefixSHA256[:]))
	dst = jsonappend.Int(jsonappend.Name(dst, nameSize), c.Size)
	dst = jsonappend.Int(jsonappend.Name(dst, nameMTime), c.MTimeMS)
	if c.CTimeMS != 0 {
		dst = jsonappend.Int(jsonappend.Name(dst, nameCTime), c.CTimeMS)
	}
	return dst
}

// ParseCursor reads the output of AppendJSON and ignores other members. Anything that
// is not a whole cursor gives the zero Cursor: the file is then read again, and no
// wrong part of it is skipped.
func ParseCursor(v jsonvalue.Value) Cursor {
	c := Cursor{known: true}
	var ok [3]bool
	c.Offset, ok[0] = v.Get(nameOffset).IntOK()
	c.Size, ok[1] = v.Get(nameSize).IntOK()
	c.MTimeMS, ok[2] = v.Get(nameMTime).IntOK()
	c.CTimeMS = v.Get(nameCTime).Int()
	var whole bool
	if c.PrefixSHA256, whole = parseDigest(v.Get(namePrefix).Str()); !whole || !ok[0] || !ok[1] || !ok[2] || c.Offset < 0 {
		return Cursor{}
	}
	return c
}

// Members reads or writes c as a part of a typed cursor. Anything that is not whole gives the
// zero Cursor.
func Members(m *cursor.Members, c *Cursor) {
	digest := ""
	if c.known {
		digest = sha256.Hex(c.PrefixSHA256[:])
	}
	m.Int(nameOffset, &c.Offset)
	m.Text(namePrefix, &digest)
	m.Int(nameSize, &c.Size)
	m.Int(nameMTime, &c.MTimeMS)
	m.Int(nameCTime, &c.CTimeMS)
	var ok bool
	if c.PrefixSHA256, ok = parseDigest(digest); !ok || c.Offset < 0 {
		*c = Cursor{}
		return
	}
	c.known = true
}

func parseDigest(digits string) (sum [sha256.Size]byte, ok bool) {
	if len(digits) != 2*len(sum) {
		return sum, false
	}
	for i := range sum {
		high, low := hexValue(digits[2*i]), hexValue(digits[2*i+1])
		if high > 15 || low > 15 {
			return sum, false
		}
		sum[i] = high<<4 | low
	}
	return sum, true
}

func hexValue(c byte) byte {
	switch {
	case c-'0' <= 9:
		return c - '0'
	case c-'a' <= 5:
		return c - 'a' + 10
	}
	return 255
}
