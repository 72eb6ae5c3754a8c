package records

import (
	"context"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/pdpp-host/pdpp-host/cmd/internal/output"
	"github.com/pdpp-host/pdpp-host/cmd/internal/syntax"
	"github.com/pdpp-host/pdpp-host/cmd/pdpp-host/internal/session"
	"github.com/pdpp-host/pdpp-host/host/owner"
)

// Command holds the commands of records.
func Command(s *session.Session) *cobra.Command {
	cmd := s.Group("records", "Read what was collected, and delete records", nil)
	cmd.AddCommand(listCommand(s), getCommand(s), exportCommand(s), searchCommand(s), deleteCommand(s), restoreCommand(s))
	return cmd
}

func listCommand(s *session.Session) *cobra.Command {
	var q owner.RecordQuery
	var by filterFlags
	cmd := &cobra.Command{
		Use: "list CONNECTION STREAM", Short: "List the records of a stream, by key", Args: takesStream(s, "CONNECTION", "STREAM"),
		Long: "Lists the records of a stream, by key. --since and --until go by the stream's own time, where a record\n" +
			"has one, else by when it was collected. With --json it prints one JSON object a line; the envelope only when it fails.",
		ValidArgsFunction: completeStream(s),
		RunE:              func(cmd *cobra.Command, args []string) error { return list(cmd.Context(), s, args[0], args[1], q, by) },
	}
	cmd.Flags().IntVar(&q.Limit, "limit", 20, "at most `N` records")
	cmd.Flags().StringVar(&q.AfterKey, "after", "", "begin after the record with this `KEY`")
	cmd.Flags().BoolVar(&q.Deleted, "deleted", false, "also deleted records")
	cmd.Flags().StringArrayVar(&by.where, "where", nil, "only records whose `FIELD=VALUE`, or with !=, <, <=, > or >= (repeatable)")
	cmd.Flags().StringVar(&by.since, "since", "", "only records of `TIME` or later: 7d (ago), 2026-01-31, or RFC 3339")
	cmd.Flags().StringVar(&by.until, "until", "", "only records from before `TIME`")
	return cmd
}

func list(ctx context.Context, s *session.Session, connection, stream string, q owner.RecordQuery, typed filterFlags) error {
	if q.Limit <= 0 {
		return syntax.Usage("--limit must be above zero", "use `records export` for everything")
	}
	by, err := typed.read(s.Now())
	if err != nil {
		return err
	}
	return s.Read(func(o *owner.Owner) error {
		from, err := o.OpenStream(ctx, connection, stream)
		if err != nil {
			return err
		}
		if by != nil {
			by.readTimeField(from.Declared())
		}
		records, more, err := findRecords(ctx, from, q, by)
		if err == nil && by != nil && len(records) == 0 {
			err = by.check(from.Declared())
		}
		if err != nil {
			return err
		}
		if s.Printer.JSON {
			return writeLines(s, records)
		}
		s.Printer.Raw()
		writeRecords(s, s.Out, records)
		switch {
		case s.Flags.Quiet || len(records) == 0:
			return nil
		case by == nil:
			return writeMore(ctx, s, from, q.Deleted, records)
		default:
			writeMatching(s, records, more)
			return nil
		}
	})
}

// mostPaged is the most records that the store is asked for at once.
const mostPaged = 500

// findRecords returns the first q.Limit records that keep to a filter, and how many
// more do. Without a filter it stops at q.Limit and counts no more.
func findRecords(ctx context.Context, from *owner.StreamReader, q owner.RecordQuery, by *filter) (records []owner.Record, more int64, err error) {
	want := q.Limit
	for {
		if q.Limit = mostPaged; by == nil {
			q.Limit = min(want-len(records), mostPaged)
		}
		page, err := from.Page(ctx, q)
		if err != nil {
			return nil, 0, err
		}
		for i := range page {
			switch {
			case by != nil && !by.matches(&page[i]):
			case len(records) < want:
				records = append(records, page[i])
			default:
				more++
			}
		}
		if len(page) < q.Limit || by == nil && len(records) == want {
			return records, more, nil
		}
		q.AfterKey = page[len(page)-1].Key
	}
}

// writeMatching says how many of the records that keep to a filter are listed, and how
// to see the others.
func writeMatching(s *session.Session, listed []owner.Record, more int64) {
	fmt.Fprintf(s.Err, "%s listed", output.Plural(int64(len(listed)), "record"))
	if more > 0 {
		fmt.Fprintf(s.Err, ", %s more match; the next ones: --after %s", output.Count(more), syntax.Quoted(output.Clean(listed[len(listed)-1].Key)))
	}
	fmt.Fprintln(s.Err)
}

func writeRecords(s *session.Session, w io.Writer, records []owner.Record) {
	if len(records) == 0 {
		fmt.Fprintln(w, "no records")
		return
	}
	rows := make([][]string, len(records))
	for i, r := range records {
		data := string(r.Data)
		if r.Deleted {
			data = "(deleted)"
		}
		rows[i] = []string{output.Cut(output.Clean(r.Key), 48), output.EscapeJSON(data)}
	}
	output.Table(w, s.Printer.Style, []string{"key", "data"}, rows)
}

// writeMore says how many records there are besides the listed ones, and how to see
// them, when the list ends before the stream does.
func writeMore(ctx context.Context, s *session.Session, from *owner.StreamReader, deleted bool, listed []owner.Record) error {
	counts, err := from.Counts(ctx)
	if err != nil {
		return err
	}
	total := counts.Live
	if deleted {
		total += counts.Deleted
	}
	last := listed[len(listed)-1].Key
	next, err := from.Page(ctx, owner.RecordQuery{AfterKey: last, Limit: 1, Deleted: deleted})
	if err != nil {
		return err
	}
	fmt.Fprintf(s.Err, "%s of %s listed", output.Count(int64(len(listed))), output.Plural(total, "record"))
	if len(next) > 0 {
		fmt.Fprintf(s.Err, "; the next ones: --after %s", syntax.Quoted(output.Clean(last)))
	}
	fmt.Fprintln(s.Err)
	return nil
}
