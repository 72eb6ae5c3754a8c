package output

import (
	"io"
	"sync"

	"github.com/pdpp-host/pdpp-host/abi"
)

// CodeUnwritten is the code of a command whose output could not be written: what it printed is not whole.
const CodeUnwritten abi.Code = "output.unwritten"

// Sink is the one writer of a command's results. It remembers a write that failed, so that a command
// whose output nobody got does not end well. It is safe for concurrent use.
type Sink struct {
	w io.WriteCloser

	mu  sync.Mutex
	err error
}

// NewSink returns a sink that writes to w.
func NewSink(w io.WriteCloser) *Sink { return &Sink{w: w} }

// Write implements io.Writer.
func (s *Sink) Write(p []byte) (int, error) {
	n, err := s.w.Write(p)
	s.note(err)
	return n, err
}

// Close implements io.Closer.
func (s *Sink) Close() error {
	err := s.w.Close()
	s.note(err)
	return err
}

func (s *Sink) note(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
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
