package connections

import (
	"context"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/pdpp-host/pdpp-host/cmd/internal/output"
	"github.com/pdpp-host/pdpp-host/cmd/internal/syntax"
	"github.com/pdpp-host/pdpp-host/cmd/pdpp-host/internal/session"
	"github.com/pdpp-host/pdpp-host/cmd/pdpp-host/internal/show"
	"github.com/pdpp-host/pdpp-host/host/owner"
)

func showCommand(s *session.Session) *cobra.Command {
	return &cobra.Command{
		Use: "show NAME", Short: "Show a connection, its streams and checkpoints", Args: syntax.Takes("NAME"),
		ValidArgsFunction: s.CompleteConnection,
		RunE:              func(cmd *cobra.Command, args []string) error { return showOne(cmd.Context(), s, args[0]) },
	}
}

func showOne(ctx context.Context, s *session.Session, name string) error {
	return s.Read(func(o *owner.Owner) error {
		c, err := o.Connection(ctx, name)
		if err != nil {
			return err
		}
		return s.Printer.Result(c.Name, c, func(w io.Writer) { writeOne(w, s.Advice, c) })
	})
}

func writeOne(w io.Writer, advice func(string) string, v *owner.Connection) {
	line := func(name, value string) { fmt.Fprintf(w, "%-12s %s\n", name, output.Clean(value)) }
	line("connection", v.Name)
	line("connector", v.Connector)
	if v.Verdict != nil {
		line("health", v.Verdict.Pill.Label+"  "+v.Verdict.ForwardStatement)
	}
	line("module", show.Dash(v.PinnedSHA256))
	if v.ModulePath != "" {
		line("module at", v.ModulePath)
	}
	if v.Unreadable {
		line("unreadable", "its options or folders cannot be read: "+advice("pdpp-host doctor"))
	}
	for i := range v.Devices {
		line("device", show.Feed(&v.Devices[i]))
	}
	if v.Schedule != nil {
		line("schedule", show.Schedule(v.Schedule))
	}
	for _, name := range slices.Sorted(maps.Keys(v.Roots)) {
		line("root", name+" = "+v.Roots[name])
	}
	if len(v.Options) > 0 {
		line("options", strings.Join(v.Options, ", ")+" (values not shown)")
	}
	if v.BaseURL != "" {
		line("asks at", v.BaseURL)
	}
	for _, c := range v.Credentials {
		line("credential", c.Field+"  "+from(v.Name, &c))
	}
	for _, d := range v.Destinations {
		line("sent to", fmt.Sprintf("%s  %s, %s out, %s in, last %s", d.Host, output.Plural(d.Requests, "request"),
			output.Bytes(d.BytesOut), output.Bytes(d.BytesIn), d.Last.UTC().Format(time.RFC3339)))
	}
	for _, s := range v.Streams {
		line("stream", fmt.Sprintf("%s  %s, %s deleted", s.Name, output.Plural(s.Records, "record"), output.Count(s.Deleted)))
	}
	for _, p := range v.Checkpoints {
		state := "committed"
		if p.Staged {
			state = "staged"
		}
		line("checkpoint", fmt.Sprintf("%s  %s, %s by %s at %s", p.Stream, p.Bookmark, state, p.RunID, output.Timestamp(p.At)))
	}
	if v.OpenGaps != nil {
		line("details", output.Count(*v.OpenGaps)+" still to fetch")
	}
}
