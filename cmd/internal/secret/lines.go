package secret

import (
	"bytes"
	"context"
	"fmt"
	"io"

	"golang.org/x/term"

	"github.com/pdpp-host/pdpp-host/cmd/internal/syntax"
)

// Lines reads one line for each prompt, which may be empty: from a terminal without showing
// them, else one after the other from standard input. The caller zeroes them. An error never
// holds any of them.
func (r Reader) Lines(ctx context.Context, prompts []string) ([][]byte, error) {
	if term.IsTerminal(int(r.In.Fd())) {
		lines := make([][]byte, len(prompts))
		for i, prompt := range prompts {
			text, err := r.line(ctx, prompt, nil)
			if err != nil {
				return nil, err
			}
			lines[i] = text
		}
		return lines, nil
	}
	text, err := r.line(ctx, "", func() ([]byte, error) { return io.ReadAll(io.LimitReader(r.In, Most+1)) })
	if err != nil {
		return nil, err
	}
	if len(text) > Most {
		clear(text)
		return nil, tooLong()
	}
	return split(text, len(prompts))
}

// split returns the n lines of a text; what is missing behind the last one is empty.
func split(text []byte, n int) ([][]byte, error) {
	lines := bytes.Split(bytes.TrimSuffix(text, []byte("\n")), []byte("\n"))
	if len(lines) > max(n, 1) || n == 0 && len(bytes.TrimSpace(text)) > 0 {
		clear(text)
		return nil, syntax.Usage(fmt.Sprintf("more than %d lines came on standard input", n), "write one line for each field, in the order in which they are shown")
	}
	out := make([][]byte, n)
	for i := range min(n, len(lines)) {
		out[i] = bytes.TrimSuffix(lines[i], []byte("\r"))
	}
	return out, nil
}
