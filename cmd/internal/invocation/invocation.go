package invocation

import (
	"context"
	"crypto/rand"
	"io"
	"log/slog"
	"os"
	"time"

	"github.com/spf13/cobra"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/cmd/internal/exitcode"
	"github.com/pdpp-host/pdpp-host/cmd/internal/interrupt"
	"github.com/pdpp-host/pdpp-host/cmd/internal/logging"
	"github.com/pdpp-host/pdpp-host/cmd/internal/output"
	"github.com/pdpp-host/pdpp-host/cmd/internal/syntax"
	"github.com/pdpp-host/pdpp-host/host/run"
)

// Invocation is one invocation of a program.
type Invocation struct {
	In      *os.File
	Out     *output.Sink
	Err     *os.File
	Now     func() time.Time
	Random  io.Reader
	Home    string
	Flags   Flags
	Printer *output.Printer
	LogTo   *logging.Writer
	Logger  *slog.Logger
	Level   *slog.LevelVar
	Stop    *interrupt.Stop

	keeps   string
	started bool // a command's own code has begun: later errors are not about usage
}

// New returns the invocation that this process is of. keeps is what the program
// keeps in its data folder.
func New(keeps string) Invocation {
	home, _ := os.UserHomeDir() // "" when unknown: what needs it says so
	out := output.NewSink(os.Stdout)
	return Invocation{
		In: os.Stdin, Out: out, Err: os.Stderr, Now: time.Now, Random: rand.Reader, Home: home, keeps: keeps,
		LogTo: logging.To(os.Stderr), Logger: slog.New(slog.DiscardHandler), Level: new(slog.LevelVar),
		Printer: &output.Printer{
			Out: out.Painted(), Err: os.Stderr,
			Style: output.StyleOf(os.Stdout, os.Getenv), ErrStyle: output.StyleOf(os.Stderr, os.Getenv),
		},
	}
}

// PrintTo has the command write its results elsewhere.
func (i *Invocation) PrintTo(w io.WriteCloser) {
	i.Out = output.NewSink(w)
	i.Printer.Out = i.Out.Painted()
}

// Execute runs the command of root that args name and returns the exit status.
// advised is the error as an owner is told it.
func (i *Invocation) Execute(root func() *cobra.Command, args []string, advised func(error) error) int {
	// A wrong flag ends parsing early; the envelope is owed all the same.
	i.Printer.JSON = syntax.AsksForJSON(args)
	ctx, stop := interrupt.Watch(context.Background(), func() {
		i.Printer.Killed(abi.NewError(abi.CodeInterrupted, "stopped at once", "run it again: it goes on from the last checkpoint"))
	})
	defer stop.End()
	i.Stop = stop

	top := i.dress(root())
	top.SetArgs(args)
	cmd, err := top.ExecuteContextC(ctx)
	if broken := i.Out.Failed(); broken != nil && (err == nil || output.Typed(err).Code == abi.CodeInternal) {
		i.Printer.Unwritten(broken) // whatever else broke, it broke because of that
		return exitcode.Of(broken)
	}
	if err == nil {
		return exitcode.OK
	}
	if cmd != nil && i.Printer.Command == "" {
		i.Printer.Command = syntax.CommandName(cmd)
	}
	if !i.started {
		err = syntax.AsUsage(top.Name(), err)
	}
	if cause := context.Cause(ctx); cause != nil && exitcode.Of(err) == exitcode.Internal {
		err = run.ErrInterrupted // whatever broke, it broke because of the stop
	}
	i.Printer.Error(advised(err))
	i.Logger.Debug("command failed", "error", logging.Chain(err))
	return exitcode.Of(err)
}

// begin is what every command does first: its name for the envelope, and the
// logger that the flags ask for.
func (i *Invocation) begin(cmd *cobra.Command) error {
	i.Printer.Begin(syntax.CommandName(cmd), i.Flags.JSON, i.Flags.Quiet)
	logger, err := logging.New(i.LogTo, i.Level, i.Flags.LogLevel, i.Flags.LogFormat)
	if err != nil {
		return err
	}
	i.Logger, i.started = logger, true
	return nil
}
