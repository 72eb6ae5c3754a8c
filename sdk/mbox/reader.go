package mbox

import (
	"bytes"
	"io"
	"strconv"

	"github.com/pdpp-host/pdpp-host/abi"
)

// Bounds on one message.
const (
	FieldBytes  = 64 << 10  // the rest of a field is left out
	HeaderBytes = 512 << 10 // of a header, a field that does not fit is left out
	lineBytes   = 64 << 10  // a longer line is looked at in parts
)

// The codes of faults. They are the connector's own.
const (
	// CodeNotMailbox: no line of the file begins a message.
	CodeNotMailbox abi.Code = "mbox.not_a_mailbox"
	// CodeDamaged: something in the file is no message, or the header of one has zero bytes.
	CodeDamaged abi.Code = "mbox.damaged"
	// CodeTruncated: the file ends within a header.
	CodeTruncated abi.Code = "mbox.truncated"
)

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
	field       field // of the header
	dropped     bool  // a field of it was left out
	cut         bool
	attachments int
	err         error

	at    int64      // of the next line in the file
	fault *abi.Error // the first that Next went on behind
	taken int64
}

// New returns a reader of the mailbox.
func New(in io.Reader) *Reader { return &Reader{in: &lineEnds{in: in}, buf: make([]byte, lineBytes)} }

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
	r.field, r.dropped = field{cuts: r.field.cuts[:0]}, false
	inHeader, begins, blank, multipart, ended := true, true, false, false, true
	var blankBytes int64
	for r.next() {
		if begins {
			if line, ok := r.separates(blank); ok {
				r.separator = append(r.separator, line...)
				if blank && r.line[0] != 0 {
					r.size -= blankBytes // the empty line belongs to the separator
				}
				return true
			}
		}
		r.size += int64(len(r.line))
		if begins {
			blank, blankBytes = len(trimEnd(r.line)) == 0, int64(len(r.line))
		}
		switch {
		case inHeader && begins && blank:
			inHeader = false
			multipart = hasPrefixFold([]byte(r.Header("Content-Type")), "multipart/")
		case inHeader:
			if bytes.IndexByte(r.line, 0) >= 0 {
				r.damaged("a header with zero bytes")
			}
			r.take(begins)
		case multipart && begins && hasPrefixFold(r.line, "content-disposition:") &&
			hasPrefixFold(bytes.TrimLeft(r.line[len("content-disposition:"):], " \t"), "attachment"):
			r.attachments++
		}
		begins, ended = r.whole, r.line[len(r.line)-1] == '\n'
	}
	if r.err == nil && inHeader && !ended { // its last field is not whole
		r.note(CodeTruncated, "the file ends within a header", "at byte "+strconv.FormatInt(r.at, 10))
		return false
	}
	return r.err == nil
}

// damaged notes a fault in the line at hand.
func (r *Reader) damaged(what string) {
	r.note(CodeDamaged, "the mailbox is damaged", what+" at byte "+strconv.FormatInt(r.at-int64(len(r.line)), 10))
}

func (r *Reader) note(code abi.Code, message, detail string) {
	if r.fault == nil {
		r.fault = &abi.Error{Code: code, Message: message, Detail: detail, Hint: "download it again"}
	}
}

// first finds the first message, behind empty lines. Whatever else stands in front of it is damaged.
func (r *Reader) first() bool {
	for begins, other := true, false; r.next(); begins = r.whole {
		text := bytes.TrimPrefix(r.line, []byte(byteOrder))
		line := bytes.TrimLeft(text, "\x00")
		if other = other || len(trimEnd(text)) > 0 && !isSeparator(text); other {
			r.damaged("what stands in front of the first message,")
		}
		if begins && isSeparator(line) {
			r.separator = append([]byte{}, line...)
			return true
		}
	}
	if r.err == nil && r.fault != nil {
		r.err = &abi.Error{Code: CodeNotMailbox, Message: "the file is no mailbox: no line of it begins a message"}
	}
	return false
}

func trimEnd(line []byte) []byte { return bytes.TrimRight(line, "\r\n") }

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
		r.held, r.at = r.held[end:], r.at+int64(end)
		if r.whole || len(r.line) >= lineBytes {
			return true
		}
	}
}

// From returns the line that begins the message, without its end.
func (r *Reader) From() string { return string(trimEnd([]byte(r.from))) }

// Size returns the bytes of header and body.
func (r *Reader) Size() int64 { return r.size }

// Cut reports whether something of the fields that were asked for was left out.
func (r *Reader) Cut() bool { return r.cut }

// Attachments returns how many parts of the message call themselves an attachment.
func (r *Reader) Attachments() int { return r.attachments }

// Taken returns how many bytes of the fields that were asked for were no UTF-8, and were taken for
// Windows-1252.
func (r *Reader) Taken() int64 { return r.taken }

// Err returns the failure that ended Next before the end of the mailbox, or else the first fault
// that Next went on behind, nil when there was neither.
func (r *Reader) Err() error {
	if r.err == nil && r.fault != nil {
		return r.fault
	}
	return r.err
}
