package secret

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"golang.org/x/term"

	"github.com/pdpp-host/pdpp-host/cmd/internal/interrupt"
	"github.com/pdpp-host/pdpp-host/cmd/internal/syntax"
	"github.com/pdpp-host/pdpp-host/host/interact"
)

// Most is how many bytes a secret may have: what a vault takes.
const Most = 64 << 10

// Reader is where a secret comes from.
type Reader struct {
	In   *os.File
	Err  io.Writer       // where it is asked for
	Stop *interrupt.Stop // puts the terminal in order when the command is killed
}

// Read reads one secret: from a terminal without showing it, else from standard
// input up to the end of its line. The caller zeroes it. An error never holds any
// of it.
func (r Reader) Read(ctx context.Context, prompt string) ([]byte, error) {
	text, err := r.line(ctx, prompt, func() ([]byte, error) { return readLine(r.In) })
	if err != nil {
		return nil, err
	}
	return check(text)
}

// line returns what read does, or what is typed at a terminal.
func (r Reader) line(ctx context.Context, prompt string, read func() ([]byte, error)) ([]byte, error) {
	type answer struct {
		text []byte
		err  error
	}
	restore := func() {}
	if fd := int(r.In.Fd()); term.IsTerminal(fd) {
		state, err := term.GetState(fd)
		if err != nil {
			return nil, err
		}
		read = func() ([]byte, error) { return term.ReadPassword(fd) }
		restore = func() {
			_ = term.Restore(fd, state) // nothing better can be done with a terminal that refuses
			fmt.Fprintln(r.Err)
		}
		r.Stop.During(nil, restore)
		defer r.Stop.During(nil, nil)
		if err := interact.HideTyping(fd); err != nil {
			return nil, err
		}
		fmt.Fprintf(r.Err, "%s (not shown): ", prompt)
	}
	got := make(chan answer, 1)
	go func() { // a read of a terminal or a pipe cannot be taken back
		text, err := read()
		got <- answer{text, err}
	}()
	select {
	case a := <-got:
		restore()
		if a.err != nil && !errors.Is(a.err, io.EOF) {
			return nil, a.err
		}
		return a.text, nil
	case <-ctx.Done():
		restore()
		return nil, context.Cause(ctx)
	}
}

// readLine reads to the first end of line or the end. The rest of the input would be lost
// without a word, as the other lines of a key in several lines: that is refused as far as it
// has been read.
func readLine(r io.Reader) ([]byte, error) {
	text := make([]byte, Most+len("\r\n"))
	keep := 0
	defer func() { clear(text[keep:]) }()
	for n := 0; ; {
		k, err := r.Read(text[n:])
		n += k
		if end := bytes.IndexByte(text[:n], '\n'); end >= 0 {
			if len(bytes.TrimSpace(text[end:n])) > 0 {
				return nil, syntax.Usage("more than one line came on standard input", "a credential is one line; store each one by itself")
			}
			keep = end
			return bytes.TrimSuffix(text[:end], []byte("\r")), nil
		}
		switch {
		case err == nil && n < len(text):
		case err == nil, errors.Is(err, io.EOF) && n > Most:
			return nil, tooLong()
		case errors.Is(err, io.EOF):
			keep = n
			return text[:n], nil
		default:
			return nil, err
		}
	}
}

// check refuses what no provider has ever handed out.
func check(text []byte) ([]byte, error) {
	switch {
	case len(text) == 0:
		return nil, syntax.Usage("no value came", "type it when asked, or pipe it in: … < file")
	case len(text) > Most:
		clear(text)
		return nil, tooLong()
	case bytes.ContainsFunc(text, func(r rune) bool { return r < ' ' || r == 0x7f }):
		clear(text)
		return nil, syntax.Usage("the value holds control characters", "check what was pasted or piped in: a credential is one line of text")
	default:
		return text, nil
	}
}

func tooLong() error {
	return syntax.Usage("the value is longer than 64 KiB", "check what was piped in: a credential is one line of text")
}
