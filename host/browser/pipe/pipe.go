package pipe

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"sync"

	"github.com/pdpp-host/pdpp-host/abi"
)

// Pipe is a browser's end of the line. Send is safe for concurrent use; Read is for one
// goroutine.
type Pipe struct {
	from *bufio.Reader
	most int

	lock   sync.Mutex
	to     io.WriteCloser
	closer io.Closer
}

// bufferBytes is the size of the reader's buffer.
const bufferBytes = 64 << 10

// New returns a Pipe that reads messages of up to most bytes.
func New(from io.ReadCloser, to io.WriteCloser, most int) *Pipe {
	return &Pipe{from: bufio.NewReaderSize(from, bufferBytes), most: most, to: to, closer: from}
}

// Send writes one message. One with a zero byte would be two, and is refused.
func (p *Pipe) Send(message []byte) error {
	if bytes.IndexByte(message, 0) >= 0 {
		return errors.New("the message has a zero byte")
	}
	p.lock.Lock()
	defer p.lock.Unlock()
	_, err := p.to.Write(append(message, 0))
	return err
}

// Read returns the next message, which is the caller's. The error is io.EOF when the
// browser is gone, also in the middle of a message.
func (p *Pipe) Read() ([]byte, error) {
	var message []byte
	for {
		part, err := p.from.ReadSlice(0)
		if len(message)+len(part) > p.most+1 {
			return nil, abi.NewError(abi.CodeBrowserClosed, "the browser sent a message that is too large", "ask the page for less")
		}
		message = append(message, part...)
		switch {
		case err == nil:
			return message[:len(message)-1], nil
		case !errors.Is(err, bufio.ErrBufferFull):
			return nil, err
		}
	}
}

// Close closes both ends. A Read that waits ends.
func (p *Pipe) Close() error { return errors.Join(p.to.Close(), p.closer.Close()) }
