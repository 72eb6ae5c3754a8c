package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"

	"golang.org/x/term"

	"github.com/pdpp-host/pdpp-host/host/vault"
)

// readSecret reads one secret: from a terminal without showing it, else from
// standard input up to the end of its line. The caller zeroes it. An error never
// holds any of it.
func (a *app) readSecret(ctx context.Context, prompt string) ([]byte, error) {
	type answer struct {
		text []byte
		err  error
	}
	read := func() ([]byte, error) { return readSecretLine(a.in) }
	restore := func() {}
	if a.interactive() {
		fd := int(a.in.Fd())
		state, err := term.GetState(fd)
		if err != nil {
			return nil, err
		}
		read = func() ([]byte, error) { return term.ReadPassword(fd) }
		restore = func() {
			_ = term.Restore(fd, state) // nothing better can be done with a terminal that refuses
			fmt.Fprintln(a.err)
		}
		a.stop.during(nil, restore)
		defer a.stop.during(nil, nil)
		fmt.Fprintf(a.err, "%s (not shown): ", prompt)
	}
	got := make(chan answer, 1)
	go func() { // a read of a terminal or a pipe cannot be taken back
		text, err := read()
		got <- answer{text, err}
	}()
	select {
	case r := <-got:
		restore()
		if r.err != nil && !errors.Is(r.err, io.EOF) {
			return nil, r.err
		}
		return checkSecret(r.text)
	case <-ctx.Done():
		restore()
		return nil, context.Cause(ctx)
	}
}

// readSecretLine reads to the first end of line or the end. What follows the line
// would be lost in silence, as the rest of a key in several lines: that is
// refused as far as it has been read.
func readSecretLine(r io.Reader) ([]byte, error) {
	text := make([]byte, vault.MaxValue+len("\r\n"))
	keep := 0
	defer func() { clear(text[keep:]) }()
	for n := 0; ; {
		k, err := r.Read(text[n:])
		n += k
		if end := bytes.IndexByte(text[:n], '\n'); end >= 0 {
			if len(bytes.TrimSpace(text[end:n])) > 0 {
				return nil, usage("more than one line came on standard input", "a credential is one line; store each one by itself")
			}
			keep = end
			return bytes.TrimSuffix(text[:end], []byte("\r")), nil
		}
		switch {
		case err == nil && n < len(text):
		case err == nil, errors.Is(err, io.EOF) && n > vault.MaxValue:
			return nil, tooLong()
		case errors.Is(err, io.EOF):
			keep = n
			return text[:n], nil
		default:
			return nil, err
		}
	}
}

// checkSecret refuses what no provider has ever handed out.
func checkSecret(text []byte) ([]byte, error) {
	switch {
	case len(text) == 0:
		return nil, usage("no value came", "type it when asked, or pipe it in: … < file")
	case len(text) > vault.MaxValue:
		clear(text)
		return nil, tooLong()
	case bytes.ContainsFunc(text, func(r rune) bool { return r < ' ' || r == 0x7f }):
		clear(text)
		return nil, usage("the value holds control characters", "check what was pasted or piped in: a credential is one line of text")
	default:
		return text, nil
	}
}

func tooLong() error {
	return usage("the value is longer than 64 KiB", "check what was piped in: a credential is one line of text")
}
