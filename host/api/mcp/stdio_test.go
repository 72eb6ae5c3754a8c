package mcp

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"testing"

	"github.com/pdpp-host/pdpp-host/host/read"
)

type unclosed struct{ io.Writer }

func (unclosed) Close() error { return nil }

// RD-58.2: who asks and closes at once gets every answer, nothing but messages is written, and
// lines that are none end in nothing worse than a refusal.
func TestStreams(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	const hello = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"x","version":"1"}}}` + "\n" +
		`{"jsonrpc":"2.0","method":"notifications/initialized"}` + "\n"
	const count = `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"aggregate","arguments":{"stream":"notes","metric":"count"}}}`
	many := ""
	for i := range 20 {
		many += strings.Replace(count, `"id":2`, fmt.Sprintf(`"id":%d`, i+2), 1) + "\n"
	}
	for said, want := range map[string]int{
		hello + count + "\n": 2, hello + count: 2, hello: 1, "": 0, "\n\n": 0, "nothing\n": 0, hello + strings.Repeat("a", 300_000): -1,
		hello + many: 21,
	} {
		var out strings.Builder
		err := Serve(t.Context(), Options{Version: "v", Logger: slog.New(slog.DiscardHandler)}, Under(b.reader, func(ctx context.Context) (*read.Caller, error) { return b.Caller(ctx, token) }),
			io.NopCloser(strings.NewReader(said)), unclosed{&out})
		got := strings.Count(out.String(), "\n")
		if got != want && want >= 0 || strings.Count(out.String(), `{"jsonrpc"`) != got {
			t.Errorf("%.300q: got %d lines %.500s, %v, want %d", said, got, out.String(), err, want)
		}
	}
}
