package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"slices"

	"github.com/spf13/cobra"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/cmd/internal/output"
	"github.com/pdpp-host/pdpp-host/cmd/pdpp-host/internal/export"
	"github.com/pdpp-host/pdpp-host/host/config"
	"github.com/pdpp-host/pdpp-host/storage"
)

func (a *app) recordsCommand() *cobra.Command {
	cmd := a.group("records", "Read what was collected", nil)
	var q storage.RecordQuery
	var by filterFlags
	list := &cobra.Command{
		Use: "list CONNECTION STREAM", Short: "List the records of a stream, by key", Args: a.takesStream("CONNECTION", "STREAM"),
		Long: "Lists the records of a stream, by key. --since and --until go by the stream's own time, where a record\n" +
			"has one, else by when it was collected. With --json it prints one JSON object a line; the envelope only when it fails.",
		ValidArgsFunction: a.completeStream,
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.recordsList(cmd.Context(), args[0], args[1], q, by)
		},
	}
	list.Flags().IntVar(&q.Limit, "limit", 20, "at most `N` records")
	list.Flags().StringVar(&q.AfterKey, "after", "", "begin after the record with this `KEY`")
	list.Flags().BoolVar(&q.Deleted, "deleted", false, "also records that were deleted at their source")
	list.Flags().StringArrayVar(&by.where, "where", nil, "only records whose `FIELD=VALUE`, or with !=, <, <=, > or >= (repeatable)")
	list.Flags().StringVar(&by.since, "since", "", "only records of `TIME` or later: 7d (ago), 2026-01-31, or RFC 3339")
	list.Flags().StringVar(&by.until, "until", "", "only records from before `TIME`")
	cmd.AddCommand(list, &cobra.Command{
		Use: "get CONNECTION STREAM KEY", Short: "Print one record as JSON", Args: a.takesStream("CONNECTION", "STREAM", "KEY"),
		ValidArgsFunction: a.completeStream,
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.recordsGet(cmd.Context(), args[0], args[1], args[2])
		},
	}, a.recordsExportCommand())
	return cmd
}

func (a *app) recordsList(ctx context.Context, connection, stream string, q storage.RecordQuery, typed filterFlags) error {
	if q.Limit <= 0 {
		return usage("--limit must be above zero", "use `records export` for everything")
	}
	by, err := typed.read(a.Now())
	if err != nil {
		return err
	}
	return a.withStream(ctx, connection, stream, func(store *storage.Store, conn *storage.Connection) error {
		if by != nil {
			by.of(conn, stream)
		}
		records, more, err := findRecords(ctx, store, conn.Name, stream, q, by)
		if err != nil {
			return err
		}
		if a.Printer.JSON {
			return a.writeLines(records)
		}
		a.Printer.Raw()
		a.writeRecords(a.Out, records)
		switch {
		case a.Flags.Quiet || len(records) == 0:
			return nil
		case by == nil:
			return a.writeMore(ctx, store, conn.Name, stream, q.Deleted, records)
		default:
			a.writeMatching(records, more)
			return nil
		}
	})
}

// mostPaged is the most records that the store is asked for at once.
const mostPaged = 500

// findRecords returns the first q.Limit records that keep to a filter, and how many
// more do. Without a filter it stops at q.Limit and counts no more.
func findRecords(ctx context.Context, store *storage.Store, connection, stream string, q storage.RecordQuery, by *filter) (records []storage.Record, more int64, err error) {
	want := q.Limit
	for {
		if q.Limit = mostPaged; by == nil {
			q.Limit = min(want-len(records), mostPaged)
		}
		page, err := store.Records(ctx, connection, stream, q)
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
func (a *app) writeMatching(listed []storage.Record, more int64) {
	fmt.Fprintf(a.Err, "%s listed", output.Plural(int64(len(listed)), "record"))
	if more > 0 {
		fmt.Fprintf(a.Err, ", %s more match; the next ones: --after %s", output.Count(more), quoted(output.Clean(listed[len(listed)-1].Key)))
	}
	fmt.Fprintln(a.Err)
}

func (a *app) writeRecords(w io.Writer, records []storage.Record) {
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
	output.Table(w, a.Printer.Style, []string{"key", "data"}, rows)
}

// writeMore says how many records there are besides the listed ones, and how to see
// them, when the list ends before the stream does.
func (a *app) writeMore(ctx context.Context, store *storage.Store, connection, stream string, deleted bool, listed []storage.Record) error {
	streams, err := store.Streams(ctx, connection)
	if err != nil {
		return err
	}
	i := slices.IndexFunc(streams, func(s storage.StreamInfo) bool { return s.Name == stream })
	if i < 0 {
		return nil
	}
	total := streams[i].Live
	if deleted {
		total += streams[i].Deleted
	}
	last := listed[len(listed)-1].Key
	next, err := store.Records(ctx, connection, stream, storage.RecordQuery{AfterKey: last, Limit: 1, Deleted: deleted})
	if err != nil {
		return err
	}
	fmt.Fprintf(a.Err, "%s of %s listed", output.Count(int64(len(listed))), output.Plural(total, "record"))
	if len(next) > 0 {
		fmt.Fprintf(a.Err, "; the next ones: --after %s", quoted(output.Clean(last)))
	}
	fmt.Fprintln(a.Err)
	return nil
}

func (a *app) recordsGet(ctx context.Context, connection, stream, key string) error {
	return a.withStream(ctx, connection, stream, func(store *storage.Store, conn *storage.Connection) error {
		r, err := store.Record(ctx, conn.Name, stream, key)
		if abi.CodeOf(err) == abi.CodeRecordUnknown && err != nil {
			return abi.NewError(abi.CodeRecordUnknown, fmt.Sprintf("stream %s has no record %q", stream, key),
				fmt.Sprintf("keys are listed by: pdpp-host records list %s %s", conn.Name, stream)).Wrap(err)
		}
		if err != nil {
			return err
		}
		return a.writeLines([]storage.Record{*r})
	})
}

// writeLines writes records as JSON Lines, which need no envelope. A terminal gets
// them escaped, so that it does not act on what a record says.
func (a *app) writeLines(records []storage.Record) error {
	out := &exportTarget{a.Out, "standard output"}
	var text bytes.Buffer
	var to io.Writer = out
	if a.Printer.Style.Terminal {
		to = &text
	}
	lines := export.NewLines(to)
	for _, r := range records {
		if err := lines.Write(r); err != nil {
			return err
		}
	}
	if err := lines.Close(); err != nil {
		return err
	}
	if _, err := io.WriteString(out, output.EscapeJSON(text.String())); err != nil {
		return err
	}
	a.Printer.Raw()
	return nil
}

// withStream opens the store and makes sure that connection and stream exist:
// an unknown stream is an error, never an empty one (Invariant 8).
func (a *app) withStream(ctx context.Context, connection, stream string, fn func(*storage.Store, *storage.Connection) error) error {
	return a.toRead(ctx, func(_ *config.Config, store *storage.Store) error {
		conn, err := a.connection(ctx, store, connection)
		if err != nil {
			return err
		}
		names, err := streamNames(ctx, store, conn)
		if err != nil {
			return err
		}
		if err := streamKnown(conn, stream, names); err != nil {
			return err
		}
		return fn(store, conn)
	})
}

func (a *app) completeStream(cmd *cobra.Command, args []string, word string) ([]string, cobra.ShellCompDirective) {
	if len(args) == 0 {
		return a.completeConnection(cmd, args, word)
	}
	c, err := a.config()
	if err != nil || len(args) > 1 || !exists(c.StorageDSN()) {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	var names []string
	_ = a.toRead(cmd.Context(), func(_ *config.Config, store *storage.Store) error {
		conn, err := store.Connection(cmd.Context(), args[0])
		if err == nil {
			names, err = streamNames(cmd.Context(), store, conn)
		}
		return err
	}) // completion has nowhere to report to
	return names, cobra.ShellCompDirectiveNoFileComp
}
