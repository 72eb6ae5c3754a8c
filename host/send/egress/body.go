package egress

import (
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"

	"github.com/pdpp-host/pdpp-host/abi"
)

// bound decompresses the answer's body and limits its size. Reading ends with ctx;
// Close ends ctx. A body above a limit ends in an error, and never as a short body
// that looks complete.
func (g *Guard) bound(ctx context.Context, end context.CancelCauseFunc, resp *http.Response) error {
	if resp.ContentLength > g.options.MaxWireBytes {
		return tooLarge(g.options.MaxWireBytes)
	}
	wire := &bounded{from: resp.Body, left: g.options.MaxWireBytes, limit: g.options.MaxWireBytes}
	switch encoding := strings.ToLower(resp.Header.Get("Content-Encoding")); encoding {
	case "", "identity":
		resp.Body = newBody(ctx, end, bounded{from: wire, left: g.options.MaxWholeBytes, limit: g.options.MaxWholeBytes}, resp.Body)
		return nil
	case "gzip", "x-gzip":
		if resp.Body != http.NoBody {
			whole := bounded{from: &unzipped{from: wire}, left: g.options.MaxWholeBytes, limit: g.options.MaxWholeBytes}
			resp.Body = newBody(ctx, end, whole, resp.Body)
		}
		resp.Header.Del("Content-Encoding")
		resp.Header.Del("Content-Length")
		resp.ContentLength, resp.Uncompressed = -1, true
		return nil
	default:
		return abi.NewError(CodeEncodingRefused, "the answer is encoded as "+quoted(encoding), "only gzip was asked for")
	}
}

func tooLarge(limit int64) error {
	return abi.NewError(CodeTooLarge, fmt.Sprintf("the answer is larger than %d bytes", limit), "ask for smaller pages")
}

// body reads from one reader and closes another: when it is closed, or when its
// context ends, because not every body of net/http stops with its context.
type body struct {
	bounded

	under io.Closer
	ctx   context.Context //nolint:containedctx // a body is read after RoundTrip has returned, and ends with its request
	end   context.CancelCauseFunc
	stop  func() bool
}

func newBody(ctx context.Context, end context.CancelCauseFunc, whole bounded, under io.Closer) *body {
	return &body{whole, under, ctx, end, context.AfterFunc(ctx, func() { _ = under.Close() })}
}

func (b *body) Read(p []byte) (int, error) {
	n, err := b.bounded.Read(p)
	if err != nil && b.ctx.Err() != nil { // also io.EOF, which may come from a body that was cut here
		err = context.Cause(b.ctx)
	}
	return n, err
}

func (b *body) Close() error {
	b.stop()
	b.end(nil)
	return b.under.Close()
}

// bounded reads at most limit bytes and fails permanently if there are more.
type bounded struct {
	from        io.Reader
	left, limit int64
	err         error
}

func (b *bounded) Read(p []byte) (int, error) {
	if b.err != nil {
		return 0, b.err
	}
	if int64(len(p)) > b.left+1 {
		p = p[:b.left+1]
	}
	n, err := b.from.Read(p)
	if int64(n) > b.left {
		n, err = int(b.left), tooLarge(b.limit)
	}
	b.left -= int64(n)
	b.err = err
	return n, err
}

// unzipped is a gzip reader that starts with the first Read, because an answer to HEAD
// announces gzip and has no body.
type unzipped struct {
	from io.Reader
	zip  *gzip.Reader
}

func (u *unzipped) Read(p []byte) (int, error) {
	if u.zip == nil {
		z, err := gzip.NewReader(u.from)
		if err != nil {
			return 0, err // io.EOF for an empty body
		}
		u.zip = z
	}
	n, err := u.zip.Read(p)
	if err != nil && !errors.Is(err, io.EOF) {
		err = fmt.Errorf("decompress the answer: %w", err)
	}
	return n, err
}
