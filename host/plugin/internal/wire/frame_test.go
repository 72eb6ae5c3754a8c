package wire

import (
	"bytes"
	"errors"
	"io"
	"testing"
	"testing/iotest"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func anything(Frame) int { return 1 << 20 }

// Frames come out as they went in, whatever pieces the pipe delivers.
func TestRoundTrip(t *testing.T) {
	t.Parallel()
	var pipe bytes.Buffer
	w := NewWriter(&pipe)
	var want [][]byte
	for _, n := range []int{0, 1, 63, 64, 65, 1000, smallBytes - HeaderBytes, smallBytes, 100000, 3} {
		p := bytes.Repeat([]byte{byte(n)}, n)
		if err := w.Write(Emit, uint32(n), p[:n/2], p[n/2:]); err != nil {
			t.Fatal(err)
		}
		want = append(want, p)
	}
	for name, src := range map[string]io.Reader{
		"whole":   bytes.NewReader(pipe.Bytes()),
		"bytes":   iotest.OneByteReader(bytes.NewReader(pipe.Bytes())),
		"halves":  iotest.HalfReader(bytes.NewReader(pipe.Bytes())),
		"err eof": iotest.DataErrReader(bytes.NewReader(pipe.Bytes())),
	} {
		r := NewReader(src, 64, anything)
		for i, p := range want {
			f, err := r.Next()
			if err != nil || f.Kind != Emit || f.ID != uint32(len(p)) || !bytes.Equal(f.Payload, p) {
				t.Fatalf("%s: frame %d: %d bytes, %v, want no error && f.Kind == Emit && f.ID == uint32(len(p)) && bytes.Equal(f.Payload, p)", name, i, len(f.Payload), err)
			}
			if i == 8 {
				r.Shrink()
			}
		}
		if _, err := r.Next(); !errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
			t.Fatalf("r.Next(): got %+v, %+v, want errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF)", name, err)
		}
	}
}

func TestTornFrames(t *testing.T) {
	t.Parallel()
	var pipe bytes.Buffer
	if err := NewWriter(&pipe).Write(Log, 1, []byte("some text")); err != nil {
		t.Fatal(err)
	}
	for n := 1; n < pipe.Len(); n++ {
		if _, err := NewReader(bytes.NewReader(pipe.Bytes()[:n]), 64, anything).Next(); !errors.Is(err, io.ErrUnexpectedEOF) {
			t.Fatalf("%d bytes: %v, want errors.Is(err, io.ErrUnexpectedEOF)", n, err)
		}
	}
}

// A length is believed only up to its kind's limit, before anything is
// allocated for it.
func TestLimits(t *testing.T) {
	t.Parallel()
	limits := func(f Frame) int {
		if f.Kind == Log && f.ID == 7 {
			return 4
		}
		return -1
	}
	for _, c := range []struct {
		frame []byte
		ok    bool
	}{
		{[]byte{4, 0, 0, 0, byte(Log), 7, 0, 0, 0, 'a', 'b', 'c', 'd'}, true},
		{[]byte{5, 0, 0, 0, byte(Log), 7, 0, 0, 0, 'a', 'b', 'c', 'd', 'e'}, false},
		{[]byte{255, 255, 255, 255, byte(Log), 7, 0, 0, 0}, false},
		{[]byte{0, 0, 0, 0, byte(Log), 8, 0, 0, 0}, false},
		{[]byte{0, 0, 0, 0, byte(Emit), 7, 0, 0, 0}, false},
	} {
		_, err := NewReader(bytes.NewReader(c.frame), 16, limits).Next()
		if c.ok != (err == nil) || !c.ok && !errors.Is(err, ErrBadFrame) {
			t.Errorf("%v: got %v, want c.ok == (err == nil) && (c.ok || errors.Is(err, ErrBadFrame))", c.frame, err)
		}
	}
}

func FuzzReader(f *testing.F) {
	var pipe bytes.Buffer
	w := NewWriter(&pipe)
	_ = w.Write(Emit, 0, []byte("abc"))
	_ = w.Write(End, 1, []byte("{}"))
	f.Add(pipe.Bytes(), 16)
	f.Fuzz(func(t *testing.T, b []byte, size int) {
		limits := func(f Frame) int {
			if f.Kind > 30 {
				return -1
			}
			return 1 << 12
		}
		whole := NewReader(bytes.NewReader(b), size&0xff, limits)
		pieces := NewReader(iotest.OneByteReader(bytes.NewReader(b)), size>>8&0xff, limits)
		for {
			x, err1 := whole.Next()
			y, err2 := pieces.Next()
			if (err1 == nil) != (err2 == nil) || x.Kind != y.Kind || x.ID != y.ID || !bytes.Equal(x.Payload, y.Payload) {
				t.Fatalf("got %+v, %+v, %+v, %+v, want (err1 == nil) == (err2 == nil) && x.Kind == y.Kind && x.ID == y.ID && bytes.Equal(x.Payload, y.Payload)", x, err1, y, err2)
			}
			if err1 != nil {
				return
			}
			if len(x.Payload) > 1<<12 || cap(whole.buf) > 1<<13 {
				t.Fatal("a limit was overrun")
			}
		}
	})
}
