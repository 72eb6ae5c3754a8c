package runs

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/pdpp-host/pdpp-host/cmd/internal/outcome"
	"github.com/pdpp-host/pdpp-host/cmd/internal/output"
	"github.com/pdpp-host/pdpp-host/cmd/internal/syntax"
	"github.com/pdpp-host/pdpp-host/cmd/pdpp-host/internal/session"
	"github.com/pdpp-host/pdpp-host/cmd/pdpp-host/internal/show"
	"github.com/pdpp-host/pdpp-host/host/owner"
	"github.com/pdpp-host/pdpp-host/host/run"
)

// mostEvents is how many events of a run are shown as text.
const mostEvents = 40

func showCommand(s *session.Session) *cobra.Command {
	return &cobra.Command{
		Use: "show RUN", Short: "Show a run with its events, gaps and checkpoints", Args: syntax.Takes("RUN"),
		Long: "Shows a run with its events, gaps and checkpoints. RUN is an id, the beginning of one, or \"last\".",
		ValidArgsFunction: func(cmd *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
			return s.Complete(cmd.Context(), args, (*owner.Owner).RunIDs)
		},
		RunE: func(cmd *cobra.Command, args []string) error { return showOne(cmd.Context(), s, args[0]) },
	}
}

func showOne(ctx context.Context, s *session.Session, id string) error {
	return s.Read(func(o *owner.Owner) error {
		r, err := o.Run(ctx, id)
		if err != nil {
			return err
		}
		return s.Printer.Result(r.RunID+" "+r.Status, r, func(w io.Writer) { writeRun(w, r) })
	})
}

func writeRun(w io.Writer, v *owner.Run) {
	line := func(name, value string) { fmt.Fprintf(w, "%-13s %s\n", name, output.Clean(value)) }
	line("run", v.RunID)
	line("connection", v.Connection)
	line("connector", fmt.Sprintf("%s %s  sha256 %s", v.Connector, v.Version, output.ShortHash(v.ModuleSHA256)))
	line("mode", v.Mode)
	line("status", show.RunState(v))
	line("started", output.Timestamp(v.StartedAt)+"  took "+took(v))
	if v.Error != nil {
		line("error", v.Error.Message+"   ["+v.Error.Code+"]")
		if v.Error.Hint != "" {
			line("", "hint: "+v.Error.Hint)
		}
	}
	var empty []string
	for _, stream := range streamsOf(v) {
		c := v.Records[stream]
		if c == (owner.Counts{}) {
			empty = append(empty, stream)
			continue
		}
		line("stream", stream+"  "+show.Dash(outcome.Counted(run.Counts(c), 0)))
	}
	if len(empty) > 0 {
		line("no records", strings.Join(empty, ", "))
	}
	if len(v.Committed) > 0 {
		line("checkpoints", strings.Join(v.Committed, ", "))
	}
	for _, h := range v.Withheld {
		line("withheld", h.Stream+" ("+h.Reason+")")
	}
	writeNotCollected(w, v)
	shown := slices.DeleteFunc(slices.Clone(v.Events), saysNothing)
	if len(shown) > mostEvents {
		line("events", fmt.Sprintf("%d, the last %d below; --json shows all of them", len(shown), mostEvents))
		shown = shown[len(shown)-mostEvents:]
	}
	for _, e := range shown {
		line("event", fmt.Sprintf("%s  %s %s", output.Timestamp(e.At), e.Type, strings.TrimSpace(e.Stream+" "+eventWords(e))))
	}
}

// streamsOf lists a run's streams in the manifest's order, then what else was
// counted.
func streamsOf(v *owner.Run) []string {
	all := slices.Clone(v.Streams)
	for stream := range v.Records {
		if !slices.Contains(all, stream) {
			all = append(all, stream)
		}
	}
	return all
}
