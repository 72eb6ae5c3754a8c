package sdk_test

import (
	"github.com/pdpp-host/pdpp-host/sdk"
	"github.com/pdpp-host/pdpp-host/sdk/filecursor"
	"github.com/pdpp-host/pdpp-host/sdk/jsonvalue"
)

// A connector that reads one file of JSON Lines: what it delivered is kept as a
// file cursor, what it cannot read is told the host.
func ExampleHost() {
	_ = func(h *sdk.Host) error { // the connector's Collect
		root, ok := h.Root("notes")
		if !ok {
			return &sdk.Failure{Code: "notes_root_missing", Message: "the notes folder was not granted"}
		}
		var doc jsonvalue.Doc
		var sc filecursor.Scanner
		plan, err := sc.Open(root, "notes.jsonl", filecursor.ParseCursor(h.Cursor("notes").Get("file")))
		if err != nil || plan == filecursor.Skip {
			return err
		}
		r := h.Record("notes")
		for sc.Next() {
			if h.Stopping() {
				return sdk.ErrStopped
			}
			v, err := doc.Parse(sc.Line())
			if err != nil {
				continue // count it, and report it with h.Skip
			}
			r.String("id", v.Get("id").View())
			r.Value("text", v.Get("text"))
			if err := r.Emit(); err != nil {
				return err
			}
			if err := h.Progress("reading notes", sc.Position(), sc.Size(), "bytes"); err != nil {
				return err
			}
		}
		res, err := sc.Close()
		if err != nil {
			return err
		}
		cursor := res.Cursor.AppendJSON([]byte(`{"file":`))
		return h.Slice("notes", "notes.jsonl", append(cursor, '}'))
	}
	// Output:
}
