package audit

import (
	"context"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/pdpp-host/pdpp-host/cmd/internal/output"
	"github.com/pdpp-host/pdpp-host/cmd/internal/syntax"
	"github.com/pdpp-host/pdpp-host/cmd/pdpp-host/internal/session"
	"github.com/pdpp-host/pdpp-host/cmd/pdpp-host/internal/show"
	"github.com/pdpp-host/pdpp-host/host/owner"
)

// defaultLimit is how many events are listed when nobody says.
const defaultLimit = 50

// Command is the command `audit`.
func Command(s *session.Session) *cobra.Command {
	var q owner.AuditQuery
	var by, since, until string
	cmd := &cobra.Command{
		Use: "audit", Short: "Show what was changed, by whom and when, the newest first", Args: syntax.Takes(),
		Long: "Shows what was changed, by whom and when, and what was refused, the newest first. No secret is among it. Events are\n" +
			"kept for 400 days.",
		RunE: func(cmd *cobra.Command, _ []string) error {
			if q.Limit < 0 || q.Before < 0 {
				return syntax.Usage("--limit and --before are not below zero", "leave them out for the newest")
			}
			q.Face = owner.Face(by)
			for flag, at := range map[string]*time.Time{"since": &q.Since, "until": &q.Until} {
				if text := cmd.Flag(flag).Value.String(); text != "" {
					var err error
					if *at, err = syntax.Time("--"+flag, text, s.Now()); err != nil {
						return err
					}
				}
			}
			return list(cmd.Context(), s, q)
		},
	}
	cmd.Flags().StringVar(&q.Connection, "connection", "", "only changes of the connection `NAME`, also of one that is gone")
	_ = cmd.RegisterFlagCompletionFunc("connection", s.CompleteConnection) // the flag is there
	cmd.Flags().StringVar(&q.Operation, "operation", "", "only this `OPERATION`, as in connections.set")
	cmd.Flags().StringVar(&by, "by", "", "only what came by `FACE`: command_line, session, token or client")
	cmd.Flags().StringVar(&q.Outcome, "outcome", "", "only this `OUTCOME`: done, refused, or an error's code")
	cmd.Flags().StringVar(&since, "since", "", "only since `TIME`: 7d, 2026-01-31 or RFC 3339")
	cmd.Flags().StringVar(&until, "until", "", "only before `TIME`")
	cmd.Flags().IntVar(&q.Limit, "limit", defaultLimit, "at most `N`; 0 lists all of them")
	cmd.Flags().Int64Var(&q.Before, "before", 0, "only events older than number `N`")
	return cmd
}

func list(ctx context.Context, s *session.Session, q owner.AuditQuery) error {
	return s.Read(func(o *owner.Owner) error {
		page, err := o.AuditEvents(ctx, q)
		if err != nil {
			return err
		}
		return s.Printer.Result(output.Plural(int64(len(page.Events)), "change"), page, func(w io.Writer) {
			if len(page.Events) == 0 {
				fmt.Fprintln(w, "nothing was changed")
				return
			}
			rows := make([][]string, len(page.Events))
			for i := range page.Events {
				rows[i] = row(&page.Events[i])
			}
			output.Table(w, s.Printer.Style, []string{"when", "by", "operation", "on", "outcome"}, rows)
			if page.Next > 0 {
				fmt.Fprintln(w, s.Advice(more(q, page.Next)))
			}
		})
	})
}

// row is the event's line of the table.
func row(e *owner.AuditEvent) []string {
	by := e.Actor
	if e.ActorID != "" {
		by += " " + e.ActorID
	}
	if e.Address != "" {
		by += " at " + e.Address
	}
	return []string{output.Timestamp(e.At), output.Clean(by), e.Operation, output.Clean(show.Dash(e.Subject)), e.Outcome}
}

// more is the command that shows the next page.
func more(q owner.AuditQuery, before int64) string {
	command := "pdpp-host audit"
	if q.Connection != "" {
		command += " --connection " + syntax.Quoted(q.Connection)
	}
	if q.Operation != "" {
		command += " --operation " + syntax.Quoted(q.Operation)
	}
	flags := []string{command}
	for _, x := range []struct{ flag, value string }{{"by", string(q.Face)}, {"outcome", q.Outcome}, {"since", instant(q.Since)}, {"until", instant(q.Until)}} {
		if x.value != "" {
			flags = append(flags, "--"+x.flag, syntax.Quoted(x.value))
		}
	}
	command = strings.Join(flags, " ")
	if q.Limit != defaultLimit {
		command += fmt.Sprintf(" --limit %d", q.Limit)
	}
	return fmt.Sprintf("more: %s --before %d", command, before)
}

// instant is a time as --since takes it; "" for none.
func instant(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format(time.RFC3339)
}
