package pipe

import (
	"bytes"
	"errors"
	"io"
	"testing"

	"go.uber.org/goleak"

	"github.com/pdpp-host/pdpp-host/abi"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

type sink struct{ bytes.Buffer }

func (*sink) Close() error { return nil }

func reader(b []byte, most int) *Pipe {
	return New(io.NopCloser(bytes.NewReader(b)), &sink{}, most)
}

// Messages are read as they were sent: none is cut, joined or longer than is allowed.
func FuzzPipe(f *testing.F) {
	f.Add([]byte(`{"id":1}`), []byte(`{}`), 8)
	f.Add([]byte{}, []byte("x"), 0)
	f.Add(bytes.Repeat([]byte("ab"), 80<<10), []byte("\x00"), 160<<10)
	f.Fuzz(func(t *testing.T, one, two []byte, most int) {
		if most < 0 || most > 1<<20 {
			return
		}
		out := &sink{}
		p := New(io.NopCloser(out), out, most)
		var sent [][]byte
		for _, m := range [][]byte{one, two} {
			err := p.Send(bytes.Clone(m))
			if zero := bytes.IndexByte(m, 0) >= 0; zero != (err != nil) {
				t.Fatalf("sending %q: got %v, want an error: %t", m, err, zero)
			}
			if err == nil {
				sent = append(sent, m)
			}
		}
		for _, want := range sent {
			got, err := p.Read()
			if len(want) > most {
				if !errors.Is(err, &abi.Error{Code: abi.CodeBrowserClosed}) {
					t.Fatalf("a message of %d bytes of at most %d: got %v, want %s", len(want), most, err, abi.CodeBrowserClosed)
				}
				return
			}
			if err != nil || !bytes.Equal(got, want) {
				t.Fatalf("got %q, %v, want %q", got, err, want)
			}
		}
		if got, err := p.Read(); !errors.Is(err, io.EOF) {
			t.Fatalf("at the end: got %q, %v, want EOF", got, err)
		}
	})
}

func TestAMessageThatIsCutIsNone(t *testing.T) {
	t.Parallel()
	p := reader([]byte("{}\x00{\"id\""), 100)
	if got, err := p.Read(); err != nil || string(got) != "{}" {
		t.Errorf("got %q, %v, want {}", got, err)
	}
	if got, err := p.Read(); !errors.Is(err, io.EOF) || got != nil {
		t.Errorf("got %q, %v, want EOF and nothing", got, err)
	}
}

// A message is not collected beyond its limit: the reader stops within one buffer.
func TestEndlessMessage(t *testing.T) {
	t.Parallel()
	endless := &counter{}
	p := New(endless, &sink{}, 1<<20)
	_, err := p.Read()
	if got := abi.CodeOf(err); got != abi.CodeBrowserClosed || endless.n > 1<<20+2*bufferBytes {
		t.Errorf("got %s after %d bytes, want %s after little more than 1 MiB", got, endless.n, abi.CodeBrowserClosed)
	}
}

type counter struct{ n int }

func (c *counter) Read(b []byte) (int, error) {
	for i := range b {
		b[i] = 'x'
	}
	c.n += len(b)
	return len(b), nil
}

func (*counter) Close() error { return nil }
