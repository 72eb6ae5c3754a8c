package mcp

import (
	"context"
	"io"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/pdpp-host/pdpp-host/host/api/wire"
)

// Serve speaks the protocol on a pair of streams until the first one ends. A line is bounded as a body is.
func Serve(ctx context.Context, o Options, ask Ask, in io.ReadCloser, out io.WriteCloser) error {
	return New(o, ask).Run(ctx, &mcp.IOTransport{Reader: in, Writer: out, MaxLineLength: 2 * wire.MaxBody})
}
