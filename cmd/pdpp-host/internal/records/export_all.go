package records

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/cmd/internal/output"
	"github.com/pdpp-host/pdpp-host/cmd/internal/syntax"
	"github.com/pdpp-host/pdpp-host/cmd/pdpp-host/internal/session"
	"github.com/pdpp-host/pdpp-host/host/owner"
	"github.com/pdpp-host/pdpp-host/host/owner/modules"
)

// exportedStream is one stream of an export of several.
type exportedStream struct {
	Stream  string `json:"stream"`
	File    string `json:"file"`
	Records int64  `json:"records"`

	temp string // where it lies until all are whole
}

// exportAll writes one file a stream. A stream without records gets its file
// too: what is not there was not exported.
func exportAll(ctx context.Context, s *session.Session, connection string, f exportFlags) error {
	if err := f.check(); err != nil {
		return err
	}
	return s.Read(func(o *owner.Owner) error {
		all, err := o.Streams(ctx, connection)
		if err != nil {
			return err
		}
		names := all.Names
		if f.file == "" {
			return syntax.Usage("pdpp-host records export needs STREAM, or --output DIR for more than one", all.Hint()+
				"; all of them: pdpp-host records export "+syntax.Quoted(all.Connection)+" --output DIR")
		}
		if len(names) == 0 {
			return abi.NewError(abi.CodeStreamUnknown, fmt.Sprintf("connection %s has no streams", all.Connection), all.Hint())
		}
		for _, stream := range f.streams {
			if err := all.Check(stream); err != nil {
				return err
			}
		}
		if len(f.streams) > 0 {
			names = slices.Compact(slices.Sorted(slices.Values(f.streams)))
		}
		done, err := exportStreams(ctx, s, o, all.Connection, names, f)
		if err != nil {
			return err
		}
		return tellExported(s, done, f)
	})
}

// exportStreams writes a file a stream, into a folder that it makes when there is
// none.
func exportStreams(ctx context.Context, s *session.Session, o *owner.Owner, connection string, names []string, f exportFlags) ([]exportedStream, error) {
	dir, err := s.Absolute(f.file)
	if err != nil {
		return nil, err
	}
	all := make([]exportedStream, len(names))
	for i, name := range names {
		if !modules.ValidName(name) { // a manifest is a stranger's word, and this becomes a path
			return nil, abi.NewError(abi.CodeStreamUnknown, fmt.Sprintf("stream %q cannot be a file's name", name),
				"export it alone, with the file that is meant: pdpp-host records export "+syntax.Quoted(connection)+" STREAM --output FILE")
		}
		all[i] = exportedStream{Stream: name, File: filepath.Join(dir, name+"."+f.format)}
	}
	if err := f.mayReplace(all); err != nil {
		return nil, err
	}
	_, before := os.Stat(dir)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, unwritable(dir, err)
	}
	err = exportEach(ctx, s, o, connection, all, f)
	if err != nil && errors.Is(before, fs.ErrNotExist) {
		_ = os.Remove(dir) // only if it is empty
	}
	return all, err
}

// exportEach writes every file before the first takes its name: an export that cannot
// be written has replaced nothing.
func exportEach(ctx context.Context, s *session.Session, o *owner.Owner, connection string, all []exportedStream, f exportFlags) (err error) {
	defer func() {
		for i := range all {
			if err != nil && all[i].temp != "" {
				_ = os.Remove(all[i].temp) // what is left behind has no further use
			}
		}
	}()
	for i := range all {
		x := &all[i]
		from, openErr := o.OpenStream(ctx, connection, x.Stream)
		if err = openErr; err != nil {
			return err
		}
		if x.temp, x.Records, err = exportBeside(ctx, s, from, f, x.File); err != nil {
			return err
		}
	}
	for i := range all {
		if err = publish(all[i].temp, all[i].File); err != nil {
			return err
		}
	}
	return nil
}

// mayReplace refuses to replace a file that is there, unless that is meant.
func (f *exportFlags) mayReplace(files []exportedStream) error {
	var there []string
	for _, x := range files {
		info, err := os.Lstat(x.File)
		if err == nil && !info.Mode().IsRegular() { // found when others had been replaced
			return syntax.Usage("an export cannot take the place of what is there", "move it away, or name another folder with --output").WithDetail(x.File)
		}
		if err == nil {
			there = append(there, x.File)
		}
	}
	if len(there) == 0 || f.replace {
		return nil
	}
	return syntax.Usage(output.Plural(int64(len(there)), "file")+" would be replaced", "replace with --yes, or name another folder with --output").
		WithDetail(strings.Join(there, "\n"))
}

// tellExported names every stream, with how many of its records were written.
func tellExported(s *session.Session, done []exportedStream, f exportFlags) error {
	var records int64
	for i := range done {
		records += done[i].Records
	}
	summary := fmt.Sprintf("%s, %s written to %s", output.Plural(int64(len(done)), "stream"), output.Plural(records, "record"), f.file)
	result := map[string]any{"dir": f.file, "format": f.format, "records": records, "streams": done}
	return s.Printer.Result(summary, result, func(w io.Writer) {
		if s.Flags.Quiet {
			return
		}
		rows := make([][]string, len(done))
		for i, d := range done {
			rows[i] = []string{d.Stream, output.Count(d.Records), filepath.Join(f.file, filepath.Base(d.File))}
		}
		output.Table(w, s.Printer.Style, []string{"stream", "records", "file"}, rows)
		fmt.Fprintln(w, output.Clean(summary))
	})
}
