package consent

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/pdpp-host/pdpp-host/cmd/internal/output"
	"github.com/pdpp-host/pdpp-host/host/interact"
	"github.com/pdpp-host/pdpp-host/host/owner/modules"
	"github.com/pdpp-host/pdpp-host/storage"
)

// Asker asks an owner on a terminal.
type Asker struct {
	Program string // that asks
	In      *os.File
	Err     io.Writer
	Tilde   func(string) string // shortens a path below the home folder
}

// Ask shows the terms and asks for the owner's word: once for the module, and then for
// each thing that goes by name, unless items or before has it. It returns items with
// what was accepted besides, or modules.ErrNotAccepted.
func (a Asker) Ask(ctx context.Context, t *modules.Terms, items, before []storage.AcceptedItem) ([]storage.AcceptedItem, error) {
	Write(a.Err, t, a.Tilde)
	switch yes, err := a.Confirm(ctx, "accept it?"); {
	case err != nil:
		return nil, err
	case !yes:
		return nil, modules.ErrNotAccepted
	}
	for _, ask := range t.Left(slices.Concat(items, before)) {
		fmt.Fprintf(a.Err, "it asks for this by name: %s %s\n", ask.What, output.Clean(ask.Value))
		answer, err := a.line(ctx, "type "+output.Clean(ask.ByName.Name)+" to let it have that, or press Enter: ")
		if err != nil {
			return nil, err
		}
		if answer == ask.ByName.Name {
			items = append(items, ask.ByName)
		}
	}
	return items, nil
}

// Confirm asks a question that is answered yes or no.
func (a Asker) Confirm(ctx context.Context, question string) (yes bool, err error) {
	answer, err := a.line(ctx, question+" [y/N] ")
	answer = strings.ToLower(answer)
	return answer == "y" || answer == "yes", err
}

// line reads one line from the terminal.
func (a Asker) line(ctx context.Context, prompt string) (string, error) {
	console, ok := interact.NewConsole(a.In)
	if !ok {
		return "", errors.New("standard input is no terminal")
	}
	type line struct {
		text string
		err  error
	}
	fmt.Fprint(a.Err, a.Program+": "+prompt)
	read := make(chan line, 1)
	go func() { // a read of a terminal cannot be taken back
		text, err := console.ReadLine()
		read <- line{text, err}
	}()
	select {
	case l := <-read:
		return strings.TrimSpace(l.text), l.err
	case <-ctx.Done():
		fmt.Fprintln(a.Err)
		return "", context.Cause(ctx)
	}
}
