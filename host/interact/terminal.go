package interact

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
)

// Times to wait for an answer, from the Collection Profile's reference: 30 minutes
// unless the connector asks for less or more, at most one hour. missing_credentials
// waits until the run ends (RT-08).
const (
	defaultTimeout = 30 * time.Minute
	longestTimeout = time.Hour
)

// Input is the owner's keyboard. Its calls may block as long as nobody types. A line
// is returned without its end; io.EOF means that no more lines will come.
type Input interface {
	ReadLine() (string, error)
	// Hide is called before a secret is asked for: typed text is invisible from then
	// on, until the end of ReadSecret, which reads that line, or Restore.
	Hide() error
	ReadSecret() (string, error)
	Restore()
}

// Terminal asks at a terminal. It implements the run's asker port; Ask is called from
// one goroutine at a time.
type Terminal struct {
	in      Input
	out     io.Writer
	from    Connector
	pending chan line // the result of an abandoned read; nil: none
}

type line struct {
	text string
	err  error
}

// Connector identifies the asking connector by the host's own facts, without the
// guest's words.
type Connector struct {
	Name string // the connection's name, or the module's
	File string // where the module was read
}

// New returns a Terminal that reads from in and prompts on out, for one connector.
func New(in Input, out io.Writer, from Connector) *Terminal {
	return &Terminal{in: in, out: out, from: from}
}

// Ask shows the interaction, reads one answer for each field of its schema, and
// returns them. The status is abi.ResponseTimeout if the interaction's time passes
// first, and abi.ResponseCancelled if the input ends (Ctrl-D), ctx is done (Ctrl-C),
// or the owner gives three invalid answers. It returns an error only if the schema
// cannot be asked at a terminal; its code is boundary.interaction_invalid.
func (t *Terminal) Ask(ctx context.Context, in abi.Interaction) (abi.InteractionResponse, error) {
	response := abi.InteractionResponse{Type: abi.TypeInteractionResp, RequestID: in.RequestID}
	fields, err := FieldsOf(in)
	if err != nil {
		return response, err
	}
	if limit := timeout(in); limit > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeoutCause(ctx, limit, errTimeout)
		defer cancel()
	}
	t.introduce(in)
	data := make(map[string]string, len(fields))
	for _, f := range fields {
		text, err := t.askField(ctx, f)
		if err != nil {
			response.Status = t.explain(ctx, err)
			return response, nil
		}
		if text != "" && f.Name != "" {
			data[f.Name] = text
		}
	}
	response.Status, response.Data = abi.ResponseSuccess, data
	return response, nil
}

var (
	errTimeout = errors.New("no answer in time")
	errGaveUp  = errors.New("no fitting answer was given")
)

func timeout(in abi.Interaction) time.Duration {
	if s := in.TimeoutSeconds; s != nil && *s > 0 {
		if *s >= longestTimeout.Seconds() {
			return longestTimeout
		}
		return time.Duration(*s * float64(time.Second))
	}
	if in.Kind == abi.InteractionMissingCredentials {
		return 0
	}
	return defaultTimeout
}

// introduce names the asking connector and the reader of the answer in the host's
// words, and separates the guest's words: they have their own line, behind a mark.
func (t *Terminal) introduce(in abi.Interaction) {
	reads := "The connector reads your answer: type no password here."
	if in.Kind == abi.InteractionCredentials || in.Kind == abi.InteractionMissingCredentials {
		reads = "pdpp-host keeps your answer, encrypted; the connector does not see it."
	}
	fmt.Fprintf(t.out, "\nThe connector %s (%s) asks:\n  > %s\n%s\n",
		clean(t.from.Name, 200), clean(t.from.File, 1000), clean(in.Message, 2000), reads)
	if in.Browser != nil {
		fmt.Fprintln(t.out, "It means a page of its browser, which a run on a terminal cannot show you: press Ctrl-D, and have `pdpp-host serve` run the connection.")
	}
}

// askField asks until the field accepts the answer, at most three times.
func (t *Terminal) askField(ctx context.Context, f Field) (string, error) {
	for range 3 {
		if f.Secret {
			if err := t.in.Hide(); err != nil {
				return "", err
			}
		}
		fmt.Fprintf(t.out, "  %s: ", f.prompt())
		text, err := t.readLine(ctx, f.Secret)
		if err != nil {
			return "", err
		}
		problem := f.Problem(text)
		if problem == "" {
			return text, nil
		}
		fmt.Fprintf(t.out, "  %s (Ctrl-C stops)\n", problem)
	}
	return "", errGaveUp
}

// readLine waits for one line or for ctx. An abandoned read stays open, because a blocked
// terminal read cannot be cancelled; the next question discards its line, so that an
// answer to one question never answers another.
func (t *Terminal) readLine(ctx context.Context, secret bool) (string, error) {
	if t.pending != nil {
		fmt.Fprint(t.out, "(press Enter first: the last question is still open) ")
		select {
		case l := <-t.pending:
			t.pending = nil
			if l.err != nil {
				t.in.Restore()
				return "", l.err
			}
		case <-ctx.Done():
			t.in.Restore()
			return "", context.Cause(ctx)
		}
	}
	lines := make(chan line, 1)
	go func() {
		read := t.in.ReadLine
		if secret {
			read = t.in.ReadSecret
		}
		text, err := read()
		lines <- line{text, err}
	}()
	select {
	case l := <-lines:
		if secret {
			fmt.Fprintln(t.out) // the invisible end of line
		}
		return l.text, l.err
	case <-ctx.Done():
		t.in.Restore()
		t.pending = lines
		return "", context.Cause(ctx)
	}
}

// explain tells the owner why there is no answer, and returns the status.
func (t *Terminal) explain(ctx context.Context, err error) string {
	fmt.Fprintln(t.out)
	switch {
	case errors.Is(err, errTimeout), errors.Is(err, context.DeadlineExceeded):
		fmt.Fprintln(t.out, "  no answer in time")
		return abi.ResponseTimeout
	case ctx.Err() == nil && !errors.Is(err, errGaveUp):
		fmt.Fprintln(t.out, "  the input ended: not answered")
	}
	return abi.ResponseCancelled
}
