package data

import (
	"context"
	"io"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/host/owner"
	"github.com/pdpp-host/pdpp-host/host/owner/export"
	"github.com/pdpp-host/pdpp-host/host/read"
)

// ExportRequest asks for all records of a stream.
type ExportRequest struct {
	Connection, Stream string
	Format             string // one of export.Formats
	Safe               bool   // a CSV that a spreadsheet may open
	Deleted            bool   // also deleted records
}

// Export writes all records of a stream, by key, and returns how many. Only where it
// returns no error is what was written whole.
func Export(ctx context.Context, o *owner.Owner, r ExportRequest, w io.Writer) (n int64, err error) {
	format := export.Format(r.Format)
	if !format.Known() {
		return 0, abi.NewError(read.CodeRequest, "the format is not jsonl, csv or parquet", "ask for one of them")
	}
	from, err := o.OpenStream(ctx, r.Connection, r.Stream)
	if err != nil {
		return 0, err
	}
	each := func(fn func(owner.Record) error) error { return from.Each(ctx, fn) }
	to, err := export.New(w, format, from.Declared(), r.Safe, each)
	if err != nil {
		return 0, err
	}
	err = each(func(record owner.Record) error {
		if record.Deleted && !r.Deleted {
			return nil
		}
		n++
		return to.Write(record)
	})
	if err != nil {
		return n, err // a file that ends well is whole
	}
	return n, to.Close()
}
