package records

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/pdpp-host/pdpp-host/cmd/internal/output"
	"github.com/pdpp-host/pdpp-host/cmd/internal/syntax"
	"github.com/pdpp-host/pdpp-host/cmd/pdpp-host/internal/session"
	"github.com/pdpp-host/pdpp-host/host/owner"
	"github.com/pdpp-host/pdpp-host/host/owner/export"
)

// exportFlags are the flags of `records export`.
type exportFlags struct {
	format, file string
	streams      []string // of an export of more than one
	replace      bool
	deleted      bool
	csvSafe      bool
	salvage      bool // read around what is damaged
}

func exportCommand(s *session.Session) *cobra.Command {
	var f exportFlags
	cmd := &cobra.Command{
		Use: "export CONNECTION [STREAM]", Short: "Write all records of a stream, or of every one, as JSON Lines or CSV", Args: syntax.Takes("CONNECTION", "[STREAM]"),
		Long: "Writes all records of a stream as JSON Lines or CSV; without STREAM those of every stream, or of each --stream, into\n" +
			"a folder: one file a stream, called so. An export to a file is whole or is not there.\n" +
			"Text stands in a CSV as it was collected. A spreadsheet takes text that begins with = + - or @ for a formula,\n" +
			"and collected text is a stranger's: use --csv-safe for a file that a spreadsheet will open.",
		Example: "  pdpp-host records export claude_code messages > messages.jsonl\n  pdpp-host records export calendar_files events --format csv --output events.csv\n" +
			"  pdpp-host records export calendar_files --output backup",
		ValidArgsFunction: completeStream(s),
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 1 {
				return exportAll(cmd.Context(), s, args[0], f)
			}
			return exportOne(cmd.Context(), s, args[0], args[1], f)
		},
	}
	cmd.Flags().StringVar(&f.format, "format", "jsonl", "`FORMAT`: jsonl, csv or parquet")
	cmd.Flags().StringVarP(&f.file, "output", "o", "", "write to `FILE`, whole or not at all (default: standard output); without STREAM the folder of the files")
	cmd.Flags().StringArrayVar(&f.streams, "stream", nil, "without STREAM: only `STREAM` (repeatable; default: all)")
	cmd.Flags().BoolVar(&f.replace, "yes", false, "without STREAM: yes, replace files that are there")
	_ = cmd.RegisterFlagCompletionFunc("format", cobra.FixedCompletions([]string{"jsonl", "csv", "parquet"}, cobra.ShellCompDirectiveNoFileComp)) // the flag is there
	cmd.Flags().BoolVar(&f.csvSafe, "csv-safe", false, "for a spreadsheet: an apostrophe before text that it would take for a formula, and no control characters")
	cmd.Flags().BoolVar(&f.salvage, "salvage", false, "of a damaged store: write what can be read, in the order of changes, and say what cannot")
	cmd.Flags().BoolVar(&f.deleted, "deleted", false, "also deleted records")
	return cmd
}

func (f *exportFlags) check() error {
	if !export.Format(f.format).Known() {
		return syntax.Usage(fmt.Sprintf("unknown format %q", f.format), "use jsonl, csv or parquet")
	}
	if f.csvSafe && f.format != "csv" {
		return syntax.Usage("--csv-safe is for CSV only", "add --format csv, or leave it out")
	}
	return nil
}

func exportOne(ctx context.Context, s *session.Session, connection, stream string, f exportFlags) error {
	if err := f.check(); err != nil {
		return err
	}
	if len(f.streams) > 0 {
		return syntax.Usage("a stream is named by STREAM and by --stream", "leave one of them out")
	}
	return s.Read(func(o *owner.Owner) error {
		from, err := o.OpenStream(ctx, connection, stream)
		if err != nil {
			return err
		}
		if f.file == "" {
			n, err := write(ctx, s, from, f, &exportTarget{s.Out, "standard output"})
			if err != nil {
				return err
			}
			s.Printer.Raw()
			if !s.Flags.Quiet && s.Printer.ErrStyle.Terminal && !s.Printer.Style.Terminal {
				fmt.Fprintln(s.Err, output.Plural(n, "record")+" written")
			}
			return nil
		}
		n, err := exportFile(ctx, s, from, f)
		if err != nil {
			return err
		}
		return s.Printer.Result(fmt.Sprintf("%s written to %s", output.Plural(n, "record"), f.file),
			map[string]any{"file": f.file, "format": f.format, "records": n}, nil)
	})
}

// write writes every record of the stream to w and returns how many.
func write(ctx context.Context, s *session.Session, from *owner.StreamReader, f exportFlags, w io.Writer) (int64, error) {
	to, err := export.New(w, export.Format(f.format), from.Declared(), f.csvSafe, func(fn func(owner.Record) error) error {
		_, err := f.eachRecord(ctx, from, fn)
		return err
	})
	if err != nil {
		return 0, orSalvage(err, from)
	}
	before, err := from.Counts(ctx)
	if err != nil {
		return 0, err
	}
	var n int64
	var seen owner.StreamCounts
	lost, err := f.eachRecord(ctx, from, func(r owner.Record) error {
		if r.Deleted {
			seen.Deleted++
		} else {
			seen.Live++
		}
		if r.Deleted && !f.deleted {
			return nil
		}
		n++
		return to.Write(r)
	})
	err = errors.Join(err, to.Close())
	switch {
	case err == nil && f.salvage:
		tellLost(s, from.Name, before, seen, lost)
	case err == nil:
		err = checkWhole(ctx, from, before, seen)
	}
	err = orSalvage(err, from)
	if c, ok := to.(*export.CSV); ok && c.Dropped > 0 {
		s.Logger.Warn("fields that came during the export are missing", "fields", c.Dropped)
	}
	return n, err
}

func exportFile(ctx context.Context, s *session.Session, from *owner.StreamReader, f exportFlags) (n int64, err error) {
	path, err := s.Absolute(f.file)
	if err != nil {
		return 0, err
	}
	temp, n, err := exportBeside(ctx, s, from, f, path)
	if err != nil {
		return n, err
	}
	return n, publish(temp, path)
}

// exportBeside writes an export beside its path, to be renamed once it is whole, so
// that a reader never finds half of one. The data is personal: the file is its
// owner's alone.
func exportBeside(ctx context.Context, s *session.Session, from *owner.StreamReader, f exportFlags, path string) (temp string, n int64, err error) {
	file, err := os.CreateTemp(filepath.Dir(path), ".pdpp-export-*")
	if err != nil {
		return "", 0, unwritable(path, err)
	}
	n, err = write(ctx, s, from, f, &exportTarget{file, path})
	if syncErr := errors.Join(file.Sync(), file.Close()); err == nil && syncErr != nil {
		err = notWritten(path, syncErr)
	}
	if err != nil {
		_ = os.Remove(file.Name()) // what is left behind has no further use
	}
	return file.Name(), n, err
}

func publish(temp, path string) error {
	err := os.Rename(temp, path)
	if err == nil {
		return nil
	}
	_ = os.Remove(temp)
	return unwritable(path, err)
}
