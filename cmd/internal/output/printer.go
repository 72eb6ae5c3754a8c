package output

import (
	"encoding/json"
	"fmt"
	"io"
	"sync"

	"github.com/pdpp-host/pdpp-host/abi"
)

// Printer writes what one command has to say. It is not safe for concurrent use, but
// for Killed.
type Printer struct {
	Out, Err io.Writer
	JSON     bool  // one envelope at the end instead of text
	Quiet    bool  // no text besides results that were asked for, and errors
	Style    Style // of Out
	ErrStyle Style // of Err
	Command  string

	mu       sync.Mutex // held while the command ends, and while it gets its name
	finished bool
}

// Begin names the command, once its flags are read.
func (p *Printer) Begin(command string, json, quiet bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.Command, p.JSON, p.Quiet = command, json, quiet
}

// Doing tells who watches a terminal what takes its time. It is safe for concurrent use.
func (p *Printer) Doing(text string) {
	if p.ErrStyle.Terminal && !p.Quiet && !p.JSON {
		fmt.Fprintln(p.Err, Clean(text))
	}
}

// Killed says the last words of a command that a second signal ends, unless it has
// ended already or is about to. It is called from another goroutine than the rest.
func (p *Printer) Killed(err *abi.Error) {
	if !p.mu.TryLock() {
		return
	}
	defer p.mu.Unlock()
	if p.finished {
		return
	}
	p.finished = true
	if p.JSON {
		e := ProblemOf(err)
		_ = p.envelope(envelope{Command: p.Command, Summary: e.Message, Error: e}) // nobody is left to tell
		return
	}
	fmt.Fprintf(p.Err, "%s; %s\n", err.Message, err.Hint)
}

// envelope is the last line of standard output under --json.
type envelope struct {
	Command string   `json:"command"`
	OK      bool     `json:"ok"`
	Summary string   `json:"summary"`
	Result  any      `json:"result"`
	Error   *Problem `json:"error"`
}

// Result ends the command: under --json it writes the envelope, else it calls
// text (nil: the summary alone). It is called at most once.
func (p *Printer) Result(summary string, result any, text func(w io.Writer)) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.finished = true
	if p.JSON {
		return p.envelope(envelope{Command: p.Command, OK: true, Summary: summary, Result: result})
	}
	switch {
	case text != nil:
		text(p.Out)
	case !p.Quiet:
		fmt.Fprintln(p.Out, summary)
	}
	return nil
}

// Failed ends the command with a result that is a failure of its own, such as a
// run that failed: under --json one envelope carries both; else text is called
// and the error follows on standard error.
func (p *Printer) Failed(summary string, result any, err error, text func(w io.Writer)) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.finished = true
	if p.JSON {
		return p.envelope(envelope{Command: p.Command, Summary: summary, Result: result, Error: ProblemOf(err)})
	}
	if text != nil {
		text(p.Out)
	}
	WriteError(p.Err, p.ErrStyle, err)
	return nil
}

// Raw marks the command as finished: it has written its own output.
func (p *Printer) Raw() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.finished = true
}

// Error ends the command with an error, unless it has already ended. Under --json
// the envelope is the last line of standard output, after whatever records stand
// there; only what cannot be written there goes to standard error.
func (p *Printer) Error(err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.finished {
		return
	}
	p.finished = true
	if p.JSON {
		e := ProblemOf(err)
		if p.envelope(envelope{Command: p.Command, Summary: e.Message, Error: e}) == nil {
			return
		}
	}
	WriteError(p.Err, p.ErrStyle, err)
}

// Unwritten says, where there is still somebody to tell, that the command's output was not written: also
// behind its end.
func (p *Printer) Unwritten(err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.finished = true
	WriteError(p.Err, p.ErrStyle, err)
}

func (p *Printer) envelope(e envelope) error {
	enc := json.NewEncoder(p.Out)
	enc.SetEscapeHTML(false)
	return enc.Encode(e)
}

// WriteError writes an error's three parts: what is wrong, where it comes from,
// what to do.
func WriteError(w io.Writer, s Style, err error) {
	e := Typed(err)
	fmt.Fprintf(w, "%s %s   [%s]\n", s.Red("error:"), Clean(e.Message), e.Code)
	if e.Detail != "" {
		for _, line := range lines(e.Detail) {
			fmt.Fprintf(w, "  %s\n", line)
		}
	}
	if e.Hint != "" {
		fmt.Fprintf(w, "  hint: %s\n", Clean(e.Hint))
	}
}
