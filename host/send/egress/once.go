package egress

import (
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"net"
	"net/http/httptrace"
	"sync/atomic"
)

// errCut is the error of a request that net/http would write a second time.
var errCut = fmt.Errorf("the connection was cut before the answer: %w", io.ErrUnexpectedEOF)

// once returns a context in which net/http writes a request to one connection and to
// no second one. Otherwise net/http repeats a request whose reused connection was cut,
// and a refused stream of HTTP/2, at once and up to eight times: sends that nobody
// counted or paced. A request of which nothing was written, because the connection
// turned out to be closed, still gets another connection. Call end when the answer is
// done with.
func once(ctx context.Context) (_ context.Context, end context.CancelCauseFunc) {
	ctx, end = context.WithCancelCause(ctx)
	var written atomic.Bool
	return httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
		WroteHeaderField: func(string, []string) { written.Store(true) }, // before any byte of it is sent
		GotConn: func(got httptrace.GotConnInfo) {
			if !written.Load() {
				return
			}
			end(errCut)
			if !sharing(got.Conn) { // HTTP/2 checks the context before it writes, HTTP/1 does not
				_ = got.Conn.Close()
			}
		},
	}), end
}

// sharing reports whether other requests are in progress on a connection.
func sharing(conn net.Conn) bool {
	secure, ok := conn.(*tls.Conn)
	return ok && secure.ConnectionState().NegotiatedProtocol == "h2"
}
