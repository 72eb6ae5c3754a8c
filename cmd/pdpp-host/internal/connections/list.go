package connections

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/pdpp-host/pdpp-host/cmd/internal/output"
	"github.com/pdpp-host/pdpp-host/cmd/internal/syntax"
	"github.com/pdpp-host/pdpp-host/cmd/pdpp-host/internal/session"
	"github.com/pdpp-host/pdpp-host/cmd/pdpp-host/internal/show"
	"github.com/pdpp-host/pdpp-host/host/owner"
)

// pageRows is how many connections are read at a time.
const pageRows = 500

func listCommand(s *session.Session) *cobra.Command {
	return &cobra.Command{
		Use: "list", Short: "List the connections", Args: syntax.Takes(),
		RunE: func(cmd *cobra.Command, _ []string) error { return list(cmd.Context(), s) },
	}
}

func list(ctx context.Context, s *session.Session) error {
	return s.Read(func(o *owner.Owner) error {
		all := []owner.Connection{}
		for next, begun := "", false; next != "" || !begun; begun = true {
			page, after, err := o.Connections(ctx, "", next, pageRows)
			if err != nil {
				return err
			}
			all, next = append(all, page...), after
		}
		runtime, err := o.Runtime(ctx)
		if err != nil {
			return err
		}
		summary := output.Plural(int64(len(all)), "connection")
		return show.Result(s.Printer, s.Advised, runtime, summary, map[string]any{"connections": all, "runtime": runtime}, func(w io.Writer) {
			show.WriteRuntime(w, s.Printer.Style, s.Advice, runtime)
			if len(all) == 0 {
				fmt.Fprintln(w, s.Advice(show.NoConnections))
				return
			}
			writeAll(w, s.Printer.Style, all)
			for i := range all {
				if all[i].Unreadable {
					fmt.Fprintln(w, output.Clean(all[i].Name)+": its options or folders cannot be read: "+s.Advice("pdpp-host doctor"))
				}
			}
		})
	})
}

func writeAll(w io.Writer, style output.Style, all []owner.Connection) {
	header := []string{"name", "connector", "module", "health", "last run", "at"}
	devices := slices.ContainsFunc(all, func(c owner.Connection) bool { return len(c.Devices) > 0 })
	if devices {
		header = append(header, "runs on")
	}
	rows := make([][]string, len(all))
	for i := range all {
		c := &all[i]
		last, when := "never ran", "-"
		if c.LastRun != nil {
			last, when = lastRun(c.LastRun), output.Timestamp(c.LastRun.StartedAt)
		}
		health := "-"
		if c.Verdict != nil {
			health = c.Verdict.Pill.Label
		}
		rows[i] = []string{c.Name, c.Connector, output.ShortHash(show.Dash(c.PinnedSHA256)), health, last, when}
		if devices {
			rows[i] = append(rows[i], where(c.Devices))
		}
	}
	output.Table(w, style, header, rows)
}

// lastRun words how the last run stands; `runs list` has its reason.
func lastRun(r *owner.Run) string {
	if r.Status == owner.StatusRunning || r.Unreadable {
		return show.RunState(r)
	}
	return r.Status
}

// where says where a connection is run: on the devices that are trusted, or on
// those that were, while none has taken their place.
func where(devices []owner.Feed) string {
	if len(devices) == 0 {
		return "this host"
	}
	var names []string
	trusted := slices.ContainsFunc(devices, func(d owner.Feed) bool { return d.RevokedAt == nil })
	for i := range devices {
		if trusted && devices[i].RevokedAt != nil {
			continue
		}
		name := owner.DeviceName(devices[i].Label, devices[i].DeviceID, devices[i].Binding)
		if devices[i].RevokedAt != nil {
			name += " (revoked)"
		}
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return output.Clean(strings.Join(names, ", "))
}
