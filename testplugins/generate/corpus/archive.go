package corpus

import (
	"archive/zip"
	"encoding/binary"
	"io"
	"time"
)

// packer writes a zip as one file. The bytes that count are those of its entries.
type packer struct {
	*writer

	zip   *zip.Writer
	entry io.Writer
}

// packed is the file itself.
type packed struct{ *writer }

func (p packed) Write(b []byte) (int, error) { return p.buf.Write(b) }

// pack writes the zip at the path; fill begins its entries.
func (w *writer) pack(path string, fill func(p *packer)) {
	w.create(path)
	if w.err != nil {
		return
	}
	p := &packer{writer: w, zip: zip.NewWriter(packed{w})}
	fill(p)
	if w.err == nil {
		w.err = p.zip.Close()
	}
}

// begin starts an entry and ends the one before. A stored one, such as a picture, would not
// shrink.
func (p *packer) begin(name string, stored bool) {
	if p.err != nil {
		return
	}
	h := &zip.FileHeader{Name: name, Method: zip.Deflate, Modified: epoch}
	if stored {
		h.Method = zip.Store
	}
	p.entry, p.err = p.zip.CreateHeader(h)
}

// flush writes the line into the entry, without a line feed.
func (p *packer) flush() {
	if p.err == nil {
		_, p.err = p.entry.Write(p.line)
	}
	p.stats.Bytes += int64(len(p.line))
	p.line = p.line[:0]
}

func (p *packer) text(s string) {
	p.line = append(p.line, s...)
	p.flush()
}

// list writes JSON elements until they have about size bytes; one appends an element to the
// line.
func (p *packer) list(size int64, before, after string, one func()) {
	p.text(before)
	for end, more := p.stats.Bytes+size, ""; p.err == nil && (more == "" || p.stats.Bytes < end); more = ",\n" {
		p.line = append(p.line, more...)
		p.advance(5 * time.Minute)
		one()
		p.flush()
		p.stats.Lines++
	}
	p.text(after)
}

// noise appends n bytes that do not shrink.
func (p *packer) noise(n int) {
	for from := len(p.line); len(p.line) < from+n; {
		p.line = binary.LittleEndian.AppendUint64(p.line, p.rand.Uint64())
	}
}
