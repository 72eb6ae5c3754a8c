package mbox

import (
	"bytes"
	"io"

	"github.com/pdpp-host/pdpp-host/abi"
)

// Bounds on one message.
const (
	HeaderBytes = 256 << 10 // the rest of a header is left out
	lineBytes   = 64 << 10  // a longer line is looked at in parts
)

// CodeNotMailbox is the code of a file that does not begin with a message. It is the
// connector's own.
const CodeNotMailbox abi.Code = "mbox.not_a_mailbox"

// Reader reads one mailbox.
type Reader struct {
	in    io.Reader
	buf   []byte
	held  []byte
	inErr error

	line  []byte // valid until the next one
	whole bool   // line ends a line of the text: it was not cut

	separator   []byte // the "From " line of the next message; nil: none was met yet
	from        string // that of this message
	header      []byte
	size        int64
	cut         bool
	attachments int
	err         error
}

// New returns a reader of the mailbox.
func New(in io.Reader) *Reader { return &Reader{in: in, buf: make([]byte, lineBytes)} }

// Next goes on to the next message, passing its body, and reports whether there is one.
func (r *Reader) Next() bool {
	if r.err != nil {
		return false
	}
	if r.separator == nil && !r.first() {
		return false
	}
	if len(r.separator) == 0 {
		return false
	}
	r.from, r.separator = string(r.separator), r.separator[:0]
	r.header, r.size, r.cut, r.attachments = r.header[:0], 0, false, 0
	inHeader, begins, blank, multipart := true, true, false, false
	var blankBytes int64
	for r.next() {
		if begins && blank && isSeparator(r.line) {
			r.separator = append(r.separator, r.line...)
			r.size -= blankBytes // the empty line belongs to the separator
			return true
		}
		r.size += int64(len(r.line))
		if begins {
			blank, blankBytes = len(trimEnd(r.line)) == 0, int64(len(r.line))
		}
		switch {
		case inHeader && begins && blank:
			inHeader = false
			multipart = hasPrefixFold([]byte(r.Header("Content-Type")), "multipart/")
		case inHeader && len(r.header)+len(r.line) > HeaderBytes:
			r.cut = true
		case inHeader:
			r.header = append(r.header, r.line...)
		case multipart && begins && hasPrefixFold(r.line, "content-disposition:") &&
			hasPrefixFold(bytes.TrimLeft(r.line[len("content-disposition:"):], " \t"), "attachment"):
			r.attachments++
		}
		begins = r.whole
	}
	return r.err == nil
}

// first finds the first message, behind empty lines.
func (r *Reader) first() bool {
	for r.next() {
		if isSeparator(r.line) {
			r.separator = append([]byte{}, r.line...)
			return true
		}
		if len(trimEnd(r.line)) > 0 {
			r.err = &abi.Error{Code: CodeNotMailbox, Message: "the file is no mailbox: it does not begin with a message"}
			return false
		}
	}
	return false
}

func trimEnd(line []byte) []byte { return bytes.TrimRight(line, "\r\n") }

// isSeparator reports whether a line begins a message: "From ", a sender, and a time.
func isSeparator(line []byte) bool {
	if !bytes.HasPrefix(line, []byte("From ")) {
		return false
	}
	for i := 5; i+8 <= len(line); i++ { // 12:34:56
		if line[i+2] == ':' && line[i+5] == ':' && digits(line[i:i+2]) && digits(line[i+3:i+5]) && digits(line[i+6:i+8]) {
			return true
		}
	}
	return false
}

func digits(b []byte) bool { return b[0]-'0' <= 9 && b[1]-'0' <= 9 }

func hasPrefixFold(b []byte, prefix string) bool {
	return len(b) >= len(prefix) && bytes.EqualFold(b[:len(prefix)], []byte(prefix))
}

// next reads one line, or a part of a long one, with its line feed.
func (r *Reader) next() bool {
	r.line = r.line[:0]
	for {
		if len(r.held) == 0 {
			if r.inErr == nil {
				var n int
				n, r.inErr = r.in.Read(r.buf)
				r.held = r.buf[:n]
				continue
			}
			if r.inErr != io.EOF { //nolint:errorlint // io.EOF is never wrapped
				r.err = r.inErr
				return false
			}
			r.whole = true
			return len(r.line) > 0
		}
		end := bytes.IndexByte(r.held, '\n') + 1
		if r.whole = end > 0; !r.whole {
			end = len(r.held)
		}
		r.line = append(r.line, r.held[:end]...)
		r.held = r.held[end:]
		if r.whole || len(r.line) >= lineBytes {
			return true
		}
	}
}

// From returns the line that begins the message, without its end.
func (r *Reader) From() string { return string(trimEnd([]byte(r.from))) }

// Size returns the bytes of header and body.
func (r *Reader) Size() int64 { return r.size }

// Cut reports whether the header was above HeaderBytes.
func (r *Reader) Cut() bool { return r.cut }

// Attachments returns how many parts of the message call themselves an attachment.
func (r *Reader) Attachments() int { return r.attachments }

// Err returns the failure that ended Next before the end of the mailbox, nil at its end.
func (r *Reader) Err() error { return r.err }
