package main

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
	"github.com/pdpp-host/pdpp-host/host/config"
	"github.com/pdpp-host/pdpp-host/storage"
)

// exportedStream is one stream of an export of several.
type exportedStream struct {
	Stream  string `json:"stream"`
	File    string `json:"file"`
	Records int64  `json:"records"`

	temp string // where it lies until all are whole
}

// recordsExportAll writes one file a stream. A stream without records gets its file
// too: what is not there was not exported.
func (a *app) recordsExportAll(ctx context.Context, connection string, f exportFlags) error {
	if err := f.check(); err != nil {
		return err
	}
	return a.toRead(ctx, func(_ *config.Config, store *storage.Store) error {
		conn, err := a.connection(ctx, store, connection)
		if err != nil {
			return err
		}
		names, err := streamNames(ctx, store, conn)
		if err != nil {
			return err
		}
		if f.file == "" {
			return usage("pdpp-host records export needs STREAM, or --output DIR for more than one", theStreams(conn, names)+
				"; all of them: pdpp-host records export "+quoted(conn.Name)+" --output DIR")
		}
		if len(names) == 0 {
			return abi.NewError(abi.CodeStreamUnknown, fmt.Sprintf("connection %s has no streams", conn.Name), theStreams(conn, names))
		}
		for _, stream := range f.streams {
			if err := streamKnown(conn, stream, names); err != nil {
				return err
			}
		}
		if len(f.streams) > 0 {
			names = slices.Compact(slices.Sorted(slices.Values(f.streams)))
		}
		done, err := a.exportStreams(ctx, store, conn, names, f)
		if err != nil {
			return err
		}
		return a.tellExported(done, f)
	})
}

// exportStreams writes a file a stream, into a folder that it makes when there is
// none.
func (a *app) exportStreams(ctx context.Context, store *storage.Store, conn *storage.Connection, names []string, f exportFlags) ([]exportedStream, error) {
	dir, err := a.absolute(f.file)
	if err != nil {
		return nil, err
	}
	all := make([]exportedStream, len(names))
	for i, name := range names {
		if !validName(name) { // a manifest is a stranger's word, and this becomes a path
			return nil, abi.NewError(abi.CodeStreamUnknown, fmt.Sprintf("stream %q cannot be a file's name", name),
				"export it alone, with the file that is meant: pdpp-host records export "+quoted(conn.Name)+" STREAM --output FILE")
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
	err = a.exportEach(ctx, store, conn, all, f)
	if err != nil && errors.Is(before, fs.ErrNotExist) {
		_ = os.Remove(dir) // only if it is empty
	}
	return all, err
}

// exportEach writes every file before the first takes its name: an export that cannot
// be written has replaced nothing.
func (a *app) exportEach(ctx context.Context, store *storage.Store, conn *storage.Connection, all []exportedStream, f exportFlags) (err error) {
	defer func() {
		for i := range all {
			if err != nil && all[i].temp != "" {
				_ = os.Remove(all[i].temp) // what is left behind has no further use
			}
		}
	}()
	for i := range all {
		x := &all[i]
		if x.temp, x.Records, err = a.exportBeside(ctx, store, conn, x.Stream, f, x.File); err != nil {
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
			return usage("an export cannot take the place of what is there", "move it away, or name another folder with --output").WithDetail(x.File)
		}
		if err == nil {
			there = append(there, x.File)
		}
	}
	if len(there) == 0 || f.replace {
		return nil
	}
	return usage(output.Plural(int64(len(there)), "file")+" would be replaced", "replace with --yes, or name another folder with --output").
		WithDetail(strings.Join(there, "\n"))
}

// tellExported names every stream, with how many of its records were written.
func (a *app) tellExported(done []exportedStream, f exportFlags) error {
	var records int64
	for i := range done {
		records += done[i].Records
	}
	summary := fmt.Sprintf("%s, %s written to %s", output.Plural(int64(len(done)), "stream"), output.Plural(records, "record"), f.file)
	result := map[string]any{"dir": f.file, "format": f.format, "records": records, "streams": done}
	return a.Printer.Result(summary, result, func(w io.Writer) {
		if a.Flags.Quiet {
			return
		}
		rows := make([][]string, len(done))
		for i, d := range done {
			rows[i] = []string{d.Stream, output.Count(d.Records), filepath.Join(f.file, filepath.Base(d.File))}
		}
		output.Table(w, a.Printer.Style, []string{"stream", "records", "file"}, rows)
		fmt.Fprintln(w, output.Clean(summary))
	})
}
