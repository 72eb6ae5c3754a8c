package mcp

import (
	"bytes"
	"context"
	"io"
	"sync/atomic"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/pdpp-host/pdpp-host/host/api/wire"
)

// Serve speaks the protocol on a pair of streams until the first one ends, and what was asked
// until then is answered. A line is bounded as a body is.
func Serve(ctx context.Context, o Options, ask Ask, in io.ReadCloser, out io.WriteCloser) error {
	l := &lines{in: in, out: out, said: make(chan struct{}, 1)}
	return New(o, ask).Run(ctx, &mcp.IOTransport{Reader: reader{l}, Writer: writer{l}, MaxLineLength: 2 * wire.MaxBody})
}

// lines are the two streams. A caller who asks and closes, as a script does, still gets the
// answers: the end of the input is told once all of them are out.
type lines struct {
	in    io.ReadCloser
	out   io.WriteCloser
	asked atomic.Int64 // lines with an id, which want an answer
	told  atomic.Int64
	said  chan struct{}

	tail  []byte // of the line that is read
	hasID bool   // it has one so far
}

// lastAnswers is how long the end of the input waits for them.
const lastAnswers = 5 * time.Second

type reader struct{ *lines }

func (l reader) Read(p []byte) (int, error) {
	n, err := l.in.Read(p)
	l.count(p[:n])
	if err != nil {
		l.count([]byte("\n")) // the last line may have no end
		limit := time.NewTimer(lastAnswers)
		defer limit.Stop()
		for n == 0 && l.told.Load() < l.asked.Load() {
			select {
			case <-l.said:
			case <-limit.C:
				return n, err
			}
		}
	}
	return n, err
}

// id is how a message that wants an answer shows.
const id = `"id"`

func (l *lines) count(p []byte) {
	for len(p) > 0 {
		part, rest, ends := bytes.Cut(p, []byte("\n"))
		l.tail = append(l.tail, part...)
		l.hasID = l.hasID || bytes.Contains(l.tail, []byte(id))
		l.tail = append(l.tail[:0], l.tail[max(0, len(l.tail)-len(id)+1):]...)
		if p = rest; !ends {
			return
		}
		if l.hasID {
			l.asked.Add(1)
		}
		l.tail, l.hasID = l.tail[:0], false
	}
}

func (l reader) Close() error { return l.in.Close() }

type writer struct{ *lines }

func (l writer) Write(p []byte) (int, error) {
	n, err := l.out.Write(p)
	if told := bytes.Count(p[:n], []byte("\n")); told > 0 {
		l.told.Add(int64(told))
		select {
		case l.said <- struct{}{}:
		default:
		}
	}
	return n, err
}

func (l writer) Close() error { return l.out.Close() }
