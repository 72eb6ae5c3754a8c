package devices

import (
	"context"
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"

	"github.com/pdpp-host/pdpp-host/cmd/internal/output"
	"github.com/pdpp-host/pdpp-host/cmd/internal/syntax"
	"github.com/pdpp-host/pdpp-host/cmd/pdpp-host/internal/session"
	"github.com/pdpp-host/pdpp-host/cmd/pdpp-host/internal/show"
	"github.com/pdpp-host/pdpp-host/host/owner"
	"github.com/pdpp-host/pdpp-host/host/owner/devices"
)

func showCommand(s *session.Session) *cobra.Command {
	return &cobra.Command{
		Use: "show DEVICE", Short: "Show a device and what it says of its uploads", Args: syntax.Takes("DEVICE"),
		ValidArgsFunction: complete(s),
		RunE:              func(cmd *cobra.Command, args []string) error { return showOne(cmd.Context(), s, args[0]) },
	}
}

func showOne(ctx context.Context, s *session.Session, typed string) error {
	return s.Read(func(o *owner.Owner) error {
		d, err := devices.Show(ctx, o, typed)
		if err != nil {
			return err
		}
		return s.Printer.Result(d.ID+"  "+d.Name(), d, func(w io.Writer) { writeDevice(w, d) })
	})
}

func writeDevice(w io.Writer, v *devices.Detail) {
	line := func(name, value string) { fmt.Fprintf(w, "%-12s %s\n", name, output.Clean(value)) }
	line("device", v.ID)
	line("name", v.Name())
	line("state", v.State())
	line("version", show.Dash(v.AgentVersion))
	line("enrolled", output.Timestamp(v.CreatedAt))
	for i := range v.Sources {
		s := &v.Sources[i]
		line("source", fmt.Sprintf("%s  %s %s, feeds %s", s.ID, s.Connector, s.Binding, s.Connection))
		for _, l := range append(heartbeatLines(s), show.News(&s.FeedNews, v.ID)...) {
			fmt.Fprintf(w, "%-12s   %s\n", "", output.Clean(l))
		}
	}
}

// heartbeatLines are what a source said of its uploads, as it said it.
func heartbeatLines(s *devices.Source) []string {
	h := s.Heartbeat
	if h == nil || s.HeardAt == nil {
		return []string{"it has said nothing yet"}
	}
	first := "said " + output.Timestamp(*s.HeardAt) + ": " + show.Dash(h.Status)
	o := h.Outbox
	if o == nil {
		return []string{first}
	}
	if o.LifecycleState != "" {
		first += ", " + o.LifecycleState
	}
	lines := []string{first, fmt.Sprintf("uploads: %s waiting, %s being sent, %s to be sent again, %s left half-way, %s given up, %s delivered",
		output.Count(o.Pending), output.Count(o.Leased), output.Count(o.Retrying), output.Count(o.StaleLeases), output.Count(o.DeadLetter), output.Count(o.Succeeded))}
	if o.BacklogOpen > 0 {
		lines = append(lines, output.Count(o.BacklogOpen)+" not taken up yet")
	}
	for _, x := range []struct {
		what string
		at   *time.Time
	}{{"oldest waiting", o.OldestPendingAt}, {"last delivery", o.LastAckAt}, {"last checkpoint", o.LastCheckpointAt}} {
		if x.at != nil {
			lines = append(lines, x.what+" "+output.Timestamp(*x.at))
		}
	}
	if e := h.LastError; e != nil {
		lines = append(lines, "it is blocked: "+e.Kind)
		for _, c := range e.Classes {
			lines = append(lines, fmt.Sprintf("given up: %s of %s", output.Count(c.Count), c.Class))
		}
	}
	return lines
}
