package jsonstream

// fill makes held hold something.
func (r *Reader) fill() bool {
	for len(r.held) == 0 {
		if len(r.next) > 0 {
			r.held, r.next = r.next, nil
			return true
		}
		if r.inErr != nil {
			return false
		}
		var n int
		n, r.inErr = r.in.Read(r.buf)
		r.held = r.buf[:n]
	}
	return true
}

// take returns the next byte and passes it.
func (r *Reader) take() (byte, bool) {
	if !r.fill() {
		return 0, false
	}
	c := r.held[0]
	r.pass()
	return c, true
}

func (r *Reader) pass() { r.held, r.at = r.held[1:], r.at+1 }

// space passes white space, and a byte order mark, and returns the byte behind it without
// passing that.
func (r *Reader) space() (byte, bool) {
	for r.fill() {
		switch c := r.held[0]; {
		case c == ' ' || c == '\n' || c == '\r' || c == '\t':
		case r.at < 3 && c == "\xef\xbb\xbf"[r.at]:
		case c == 0: // a block that a program had no time to write
			r.spoil("a zero byte stands there")
			for r.fill() && r.held[0] == 0 {
				r.pass()
			}
			continue
		default:
			return c, true
		}
		r.pass()
	}
	return 0, false
}
