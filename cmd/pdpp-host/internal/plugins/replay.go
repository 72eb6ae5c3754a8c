package plugins

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/cmd/internal/output"
	"github.com/pdpp-host/pdpp-host/cmd/internal/syntax"
	"github.com/pdpp-host/pdpp-host/cmd/pdpp-host/internal/session"
	"github.com/pdpp-host/pdpp-host/host/config"
	"github.com/pdpp-host/pdpp-host/host/owner/modules"
	"github.com/pdpp-host/pdpp-host/host/plugin"
	"github.com/pdpp-host/pdpp-host/host/replay"
)

// replayTime is how long a replay takes at most: nothing in it waits.
const replayTime = 10 * time.Minute

// replayFlags are the flags of `plugin replay`, as typed.
type replayFlags struct {
	anyModule, update bool
	timeout           time.Duration
}

func replayCommand(s *session.Session) *cobra.Command {
	var f replayFlags
	cmd := &cobra.Command{
		Use: "replay FILE [MODULE]", Short: "Run a connector again over a recorded run, and compare", Args: syntax.Takes("FILE", "[MODULE]"),
		Long: "Runs a connector again over the recording in FILE, without network, and compares what it does byte for byte.\n" +
			"MODULE is a name in the plugins folder or a path (default: the connector that was recorded).",
		Example: "  pdpp-host run github --record run.jsonl\n  pdpp-host plugin replay run.jsonl\n" +
			"  pdpp-host plugin replay testdata/run.jsonl ./github.wasm --any-module",
		RunE: func(cmd *cobra.Command, args []string) error {
			return replayFile(cmd.Context(), s, args[0], append(args, "")[1], f)
		},
	}
	cmd.Flags().BoolVar(&f.anyModule, "any-module", false, "compare a module that is not the recorded one")
	cmd.Flags().BoolVar(&f.update, "update", false, "write what the module does now into FILE, if it asks for the same")
	cmd.Flags().DurationVar(&f.timeout, "timeout", replayTime, "end the replay after `DURATION`")
	return cmd
}

// replayed is the result of `plugin replay`.
type replayed struct {
	*replay.Report

	Updated bool `json:"updated"`
}

// notAboveZero refuses a --timeout that bounds nothing.
func notAboveZero() error {
	return syntax.Usage("--timeout is not above zero", "write a duration, as in 30s")
}

func replayFile(ctx context.Context, s *session.Session, path, module string, f replayFlags) error {
	if f.timeout <= 0 {
		return notAboveZero()
	}
	c, err := s.Config()
	if err != nil {
		return err
	}
	tape, err := replay.Open(path, 0)
	if err != nil {
		return err
	}
	result, err := play(ctx, s, c, tape, module, f)
	if err = errors.Join(err, tape.Close()); err != nil {
		return err
	}
	return tellReplay(s, result, path)
}

// play plays a recording, and updates it when that is asked for and due.
func play(ctx context.Context, s *session.Session, c *config.Config, tape *replay.Tape, module string, f replayFlags) (*replayed, error) {
	if module == "" {
		module = tape.Header().Connector
	}
	file, err := modules.Open(c, module, modules.ListCommand)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeoutCause(ctx, f.timeout, abi.NewError(abi.CodeLimitTime,
		fmt.Sprintf("the replay took longer than %s", f.timeout), "raise --timeout; a connector that waits for an answer which was not recorded waits forever"))
	defer cancel()
	result := &replayed{}
	err = s.WithEngine(c, func(engine *plugin.Engine) error {
		err := withGuest(ctx, engine, file, func(g *plugin.Guest) error {
			if err := tape.CheckModule(g); err != nil && !f.anyModule {
				return err
			}
			var err error
			result.Report, err = replay.Play(ctx, tape, g)
			return err
		})
		if err != nil || !f.update || result.Identical && result.ModuleSHA256 == result.RecordedSHA256 {
			return err
		}
		result.Updated = true
		return withGuest(ctx, engine, file, func(g *plugin.Guest) error { return replay.Update(ctx, tape, g) })
	})
	return result, err
}

// withGuest loads a module, hands it to fn and closes it.
func withGuest(ctx context.Context, engine *plugin.Engine, file *plugin.File, fn func(*plugin.Guest) error) error {
	g, err := engine.Load(ctx, file)
	if err != nil {
		return err
	}
	return errors.Join(fn(g), g.Close())
}

// tellReplay writes how a replay came out.
func tellReplay(s *session.Session, r *replayed, path string) error {
	counts := fmt.Sprintf("%s, %s", output.Plural(int64(r.Calls), "call"), output.Plural(int64(r.Requests), "request"))
	d := r.Difference
	if d == nil {
		summary := "identical  " + r.Connector + " " + output.Clean(r.Version) + ": " + counts
		if r.Updated {
			summary += "; " + output.Clean(path) + " names this module now"
		}
		return s.Printer.Result(summary, r, nil)
	}
	where := fmt.Sprintf("call %d: %s", d.Call, d.What)
	text := func(w io.Writer) {
		fmt.Fprintf(w, "%s\n  recorded  %s\n  replayed  %s\n", where, output.Clean(d.Recorded), output.Clean(d.Replayed))
	}
	if r.Updated {
		summary := "updated  " + r.Connector + ": " + output.Clean(path)
		return s.Printer.Result(summary, r, func(w io.Writer) {
			fmt.Fprintln(w, summary)
			text(w)
		})
	}
	err := abi.NewError(replay.CodeDiffers, "the connector does not do what it did when it was recorded",
		"if it is meant to, write it into the recording with --update").WithDetail(where)
	if printErr := s.Printer.Failed("differs  "+r.Connector+": "+where, r, err, text); printErr != nil {
		return printErr
	}
	return err
}
