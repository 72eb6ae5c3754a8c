package guest

import "bytes"

// lineWriter joins a guest's standard output or error into lines, because a Go guest's
// panic arrives word by word.
type lineWriter struct {
	s   *Session
	fd  int
	buf []byte
}

// stackGrows begins the line of a Go guest's crash that says that its stack found no room. The
// stack of a Go guest is in its memory: recursion without an end meets the limit of that first.
var stackGrows = []byte("runtime.copystack(")

// Write never fails: if the sink refuses, the guest is unwound instead.
func (w *lineWriter) Write(p []byte) (int, error) {
	if w.s.failed != nil || w.s.killed.Load() {
		panic(errUnwind)
	}
	n := len(p)
	for len(p) > 0 {
		end := bytes.IndexByte(p, '\n') + 1
		whole := end > 0
		if !whole {
			end = len(p)
		}
		if room := OutputBytes - len(w.buf); end >= room {
			end, whole = room, true
		}
		w.buf = append(w.buf, p[:end]...)
		p = p[end:]
		if whole {
			if err := w.flush(); err != nil {
				w.s.fail(err)
			}
		}
	}
	return n, nil
}

func (w *lineWriter) flush() error {
	if len(w.buf) == 0 {
		return nil
	}
	if bytes.HasPrefix(w.buf, stackGrows) {
		w.s.overflowed = true
	}
	err := w.s.sink.Output(w.fd, w.buf)
	w.buf = w.buf[:0]
	return err
}
