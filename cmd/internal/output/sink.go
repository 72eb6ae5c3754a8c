package output

import (
	"bytes"
	"io"
	"os"
	"sync"
	"unicode/utf8"

	"golang.org/x/term"

	"github.com/pdpp-host/pdpp-host/abi"
)

// CodeUnwritten is the code of a command whose output could not be written: what it printed is not whole.
const CodeUnwritten abi.Code = "output.unwritten"

// Sink is the one writer of a command's results. It remembers a write that failed, so that a command
// whose output nobody got does not end well. A terminal gets nothing that it would act on, whatever a
// command writes: such characters become JSON escapes there, and bytes that are no text U+FFFD. It is
// safe for concurrent use.
type Sink struct {
	w        io.WriteCloser
	terminal bool

	mu   sync.Mutex
	rest []byte // of a terminal: the beginning of a character, or of a colour, that was written in part
	err  error
}

// NewSink returns a sink that writes to w.
func NewSink(w io.WriteCloser) *Sink {
	f, file := w.(*os.File)
	return &Sink{w: w, terminal: file && term.IsTerminal(int(f.Fd()))}
}

// Write implements io.Writer.
func (s *Sink) Write(p []byte) (int, error) { return s.write(p, false) }

// Painted returns the sink as a writer that lets the colours of Style pass, for texts whose strange
// parts are cleaned.
func (s *Sink) Painted() io.Writer { return painted{s} }

type painted struct{ *Sink }

// Write implements io.Writer.
func (p painted) Write(text []byte) (int, error) { return p.write(text, true) }

func (s *Sink) write(p []byte, colours bool) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.terminal {
		n, err := s.w.Write(p)
		s.note(err)
		return n, err
	}
	var b bytes.Buffer
	text := append(s.rest, p...)
	for len(text) > 0 {
		if n := colour(text); n > 0 && colours {
			b.Write(text[:n])
			text = text[n:]
			continue
		}
		if !utf8.FullRune(text) || colours && begins(text) {
			break
		}
		r, n := utf8.DecodeRune(text)
		escape(&b, r)
		text = text[n:]
	}
	s.rest = bytes.Clone(text)
	_, err := s.w.Write(b.Bytes())
	s.note(err)
	if err != nil {
		return 0, err
	}
	return len(p), nil
}

// sequences are those that Style writes.
var sequences = [][]byte{[]byte("\x1b[0m"), []byte("\x1b[1m"), []byte("\x1b[2m"), []byte("\x1b[31m"), []byte("\x1b[32m"), []byte("\x1b[33m")}

// colour returns the length of the sequence that text begins with, 0 if there is no such.
func colour(text []byte) int {
	for _, q := range sequences {
		if bytes.HasPrefix(text, q) {
			return len(q)
		}
	}
	return 0
}

// begins reports whether text is the beginning of a sequence.
func begins(text []byte) bool {
	for _, q := range sequences {
		if len(text) < len(q) && bytes.HasPrefix(q, text) {
			return true
		}
	}
	return false
}

// Close implements io.Closer.
func (s *Sink) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	err := s.w.Close()
	s.note(err)
	return err
}

// note keeps the first error. The sink is locked.
func (s *Sink) note(err error) {
	if s.err == nil {
		s.err = err
	}
}

// Failed returns output.unwritten where something could not be written.
func (s *Sink) Failed() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.err == nil {
		return nil
	}
	return abi.NewError(CodeUnwritten, "the output could not be written to the end", "make room where it goes, or send it elsewhere; what the command did is done").Wrap(s.err)
}
