package sdk_test

import (
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"testing"
	"testing/fstest"

	"github.com/pdpp-host/pdpp-host/sdk"
	"github.com/pdpp-host/pdpp-host/sdk/filecursor"
	"github.com/pdpp-host/pdpp-host/sdk/jsonvalue"
	"github.com/pdpp-host/pdpp-host/sdk/sdktest"
)

// exampleT stands in for the *testing.T of a connector's own test, which an example
// does not have. It prints the problems that would fail the test.
type exampleT struct{ testing.TB }

func (exampleT) Helper()                           {}
func (exampleT) Logf(string, ...any)               {}
func (exampleT) Errorf(format string, args ...any) { fmt.Printf(format+"\n", args...) }
func (exampleT) Fatalf(format string, args ...any) { panic(fmt.Sprintf(format, args...)) }

// notesConnector is a connector whose Collect is a function of an example.
type notesConnector func(h *sdk.Host) error

func (notesConnector) Manifest() string {
	return `{"streams": [
		{"name": "notes", "primary_key": ["id"], "semantics": "mutable_state"},
		{"name": "tags", "primary_key": ["id"], "semantics": "mutable_state"}
	]}`
}

func (c notesConnector) Collect(h *sdk.Host) error { return c(h) }

// A connector that reads one file of JSON Lines. It keeps a file cursor of what it
// delivered, so its second run reads nothing.
func ExampleHost() {
	collect := func(h *sdk.Host) error { // the connector's Collect
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
		}
		res, err := sc.Close()
		if err != nil {
			return err
		}
		cursor := res.Cursor.AppendJSON([]byte(`{"file":`))
		return h.Slice("notes", "notes.jsonl", append(cursor, '}'))
	}

	folder := fstest.MapFS{"notes.jsonl": {Data: []byte(`{"id":"1","text":"buy milk"}` + "\n" + `{"id":"2","text":"call Ana"}` + "\n")}}
	first := sdktest.Collect(exampleT{}, notesConnector(collect), sdktest.Options{Roots: map[string]fs.FS{"notes": folder}})
	for _, record := range first.Records("notes") {
		fmt.Println(record.Key, record.Text("text"))
	}
	second := first.SecondRun(exampleT{}, nil)
	fmt.Println("second run:", second.Done.Status, len(second.Records("notes")), "records")
	// Output:
	// 1 buy milk
	// 2 call Ana
	// second run: succeeded 0 records
}

// A list whose records are fetched one by one. The lane accounts for the record that
// the service does not answer well: it becomes a gap, which a later run fetches.
func ExampleHost_Details() {
	collect := func(h *sdk.Host) error { // the connector's Collect
		lane := h.Details(sdk.DetailLane{
			Stream: "notes", StateStream: "notes",
			Request: func(d sdk.Detail) (sdk.Request, error) {
				return sdk.Request{URL: "https://api.example.org/notes/" + d.Key[0]}, nil
			},
			Record: func(d sdk.Detail, r *sdk.Response) error {
				if err := h.CheckStatus(r); err != nil {
					return err
				}
				v, err := r.JSON()
				if err != nil {
					return err
				}
				note := h.Record("notes")
				note.String("id", d.Key[0])
				note.Value("text", v.Get("text"))
				return note.Emit()
			},
		})
		if err := lane.Recover(); err != nil { // first what earlier runs left
			return err
		}
		ids := []string{"3", "2", "1"} // newest first
		err := lane.Walk(func() (sdk.Detail, bool) {
			if len(ids) == 0 {
				return sdk.Detail{}, false
			}
			id := ids[0]
			ids = ids[1:]
			return sdk.Detail{Key: []string{id}}, true
		})
		if err != nil {
			return err
		}
		return lane.Close()
	}

	provider := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/notes/2" {
			w.WriteHeader(http.StatusInternalServerError)
			return
		}
		_, _ = w.Write([]byte(`{"text":"from ` + r.URL.Path + `"}`))
	})
	res := sdktest.Collect(exampleT{}, notesConnector(collect), sdktest.Options{Provider: provider})
	for _, record := range res.Records("notes") {
		fmt.Println(record.Key, record.Text("text"))
	}
	for _, gap := range res.Gaps {
		fmt.Printf("gap %s: %s\n", gap.RecordKey, gap.Reason)
	}
	// Output:
	// 3 from /notes/3
	// 1 from /notes/1
	// gap "2": temporary_unavailable
}

// Two streams of which one fails. The other is collected, and the run's error names
// the stream that failed.
func ExampleFailedStreams() {
	collect := func(h *sdk.Host) error { // the connector's Collect
		tags := func() error { return errors.New("the list of tags is not JSON") }
		notes := func() error {
			r := h.Record("notes")
			r.String("id", "1")
			if err := r.Emit(); err != nil {
				return err
			}
			return h.State("notes", []byte(`{"newest":"1"}`))
		}
		var failed sdk.FailedStreams
		if err := failed.Note(h, tags(), "tags"); err != nil {
			return err // not the stream's trouble, but the end of the run
		}
		if err := failed.Note(h, notes(), "notes"); err != nil {
			return err
		}
		return failed.Err()
	}

	res := sdktest.Collect(exampleT{}, notesConnector(collect), sdktest.Options{})
	fmt.Println(res.Done.Status+":", res.Done.Error.Message)
	fmt.Println("notes:", res.Keys("notes"))
	fmt.Println("skipped:", res.Skips[0].Stream, res.Skips[0].Reason)
	// Output:
	// failed: 1 stream was not collected to the end: tags (the list of tags is not JSON)
	// notes: [1]
	// skipped: tags stream_collection_failed
}
