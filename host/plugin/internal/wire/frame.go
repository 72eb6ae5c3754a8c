package wire

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"sync"
)

// Kind is the kind of a frame.
type Kind uint8

// Frames from the host to the worker.
const (
	Load     Kind = 1 // JSON of what to load; the next frame is Module
	Module   Kind = 2 // the module's bytes
	Describe Kind = 3 // run pdpp_describe
	Collect  Kind = 4 // JSON of the mounts and the clock; run pdpp_collect
	Stop     Kind = 5 // ask the guest to finish
	Ack      Kind = 6 // the answer to Message, Submit or Manifest; a payload is a refusal, JSON
	Answer   Kind = 7 // id: handle; the answer to a submitted request
	Prepare  Kind = 8 // make a first instance with nothing granted
)

// Frames from the worker to the host.
const (
	Loaded   Kind = 16 // JSON outcome of Load: the module is compiled
	Manifest Kind = 17 // the manifest; waits for Ack
	Emit     Kind = 18 // RECORD lines; one way
	Message  Kind = 19 // id: index in abi.Calls; waits for Ack, but progress is one way
	Log      Kind = 20 // id: level; text; one way
	Output   Kind = 21 // id: file descriptor; what the guest wrote to it; one way
	Submit   Kind = 22 // id: handle; operation (4 bytes), request; waits for Ack
	End      Kind = 23 // JSON outcome of Prepare, Describe or Collect
	Request  Kind = 24 // like Submit, for the http operation; one way: a refusal is its answer
)

// HeaderBytes is the size of a frame's header: length, kind, id.
const HeaderBytes = 9

// Frame is one frame. Payload is valid until the next call of Next.
type Frame struct {
	Kind    Kind
	ID      uint32
	Payload []byte
}

// ErrBadFrame is the error of Next, wrapped, for a frame that breaks the rules. Frames
// after it are meaningless.
var ErrBadFrame = errors.New("bad frame")

// Reader reads frames. It is not safe for concurrent use.
type Reader struct {
	src    io.Reader
	limits func(Frame) int // largest payload of a frame of this kind and id; negative: refused
	size   int             // size of buf, unless a frame needs more
	buf    []byte
	r, w   int
}

// NewReader returns a Reader over src. limits returns the largest payload of a frame
// by its kind and id, or -1 to refuse it.
func NewReader(src io.Reader, bufferBytes int, limits func(Frame) int) *Reader {
	size := max(bufferBytes, HeaderBytes)
	return &Reader{src: src, limits: limits, size: size, buf: make([]byte, size)}
}

// Next returns the next frame, io.EOF at a clean end, io.ErrUnexpectedEOF in
// the middle of a frame, or an error that wraps ErrBadFrame.
func (r *Reader) Next() (Frame, error) {
	if err := r.fill(HeaderBytes); err != nil {
		return Frame{}, err
	}
	h := r.buf[r.r:]
	n := uint64(binary.LittleEndian.Uint32(h))
	f := Frame{Kind: Kind(h[4]), ID: binary.LittleEndian.Uint32(h[5:])}
	limit := r.limits(f)
	if limit < 0 {
		return Frame{}, fmt.Errorf("%w: kind %d, id %d is not expected", ErrBadFrame, f.Kind, f.ID)
	}
	if n > uint64(limit) {
		return Frame{}, fmt.Errorf("%w: kind %d carries %d bytes, at most %d are allowed", ErrBadFrame, f.Kind, n, limit)
	}
	total := HeaderBytes + int(n)
	if err := r.fill(total); err != nil {
		if errors.Is(err, io.EOF) {
			err = io.ErrUnexpectedEOF
		}
		return Frame{}, err
	}
	f.Payload = r.buf[r.r+HeaderBytes : r.r+total]
	r.r += total
	return f, nil
}

// Shrink releases the buffer that a large frame needed. The last frame's payload is no
// longer valid.
func (r *Reader) Shrink() {
	r.buf = append(make([]byte, 0, r.size), r.buf[r.r:r.w]...)
	r.r, r.w = 0, len(r.buf)
	r.buf = r.buf[:cap(r.buf)]
}

// fill makes at least n bytes available at r.r. It reads as much as the buffer can
// hold, so that one system call fetches several frames.
func (r *Reader) fill(n int) error {
	if r.w-r.r >= n {
		return nil
	}
	if len(r.buf)-r.r < n {
		to := r.buf
		if len(r.buf) < n {
			to = make([]byte, n)
		}
		r.w = copy(to, r.buf[r.r:r.w])
		r.buf, r.r = to, 0
	}
	for r.w-r.r < n {
		if r.r == r.w {
			r.r, r.w = 0, 0
		}
		k, err := r.src.Read(r.buf[r.w:])
		r.w += k
		if err != nil && r.w-r.r < n {
			if errors.Is(err, io.EOF) && r.w > r.r {
				return io.ErrUnexpectedEOF
			}
			return err
		}
	}
	return nil
}

// smallBytes is the size up to which a payload is copied behind its header, which
// costs less than a second system call.
const smallBytes = 16 << 10

// Writer writes frames. It is safe for concurrent use.
type Writer struct {
	mu  sync.Mutex
	dst io.Writer
	buf []byte
}

// NewWriter returns a Writer to dst.
func NewWriter(dst io.Writer) *Writer { return &Writer{dst: dst} }

// Write writes one frame whose payload is the parts, one after the other. It keeps
// none of them.
func (w *Writer) Write(kind Kind, id uint32, parts ...[]byte) error {
	n := 0
	for _, p := range parts {
		n += len(p)
	}
	if uint64(n) > 1<<32-1 {
		return fmt.Errorf("%w: %d bytes do not fit a frame", ErrBadFrame, n)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.buf = binary.LittleEndian.AppendUint32(w.buf[:0], uint32(n))
	w.buf = append(w.buf, byte(kind))
	w.buf = binary.LittleEndian.AppendUint32(w.buf, id)
	for _, p := range parts {
		if len(w.buf)+len(p) <= smallBytes {
			w.buf = append(w.buf, p...)
			continue
		}
		if err := w.flush(); err != nil {
			return err
		}
		if _, err := w.dst.Write(p); err != nil {
			return err
		}
	}
	return w.flush()
}

func (w *Writer) flush() error {
	if len(w.buf) == 0 {
		return nil
	}
	_, err := w.dst.Write(w.buf)
	w.buf = w.buf[:0]
	return err
}
