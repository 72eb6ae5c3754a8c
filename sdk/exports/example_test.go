package exports_test

import (
	"archive/zip"
	"bytes"
	"fmt"
	"io"
	"io/fs"
	"testing"
	"testing/fstest"

	"github.com/pdpp-host/pdpp-host/sdk"
	"github.com/pdpp-host/pdpp-host/sdk/exports"
	"github.com/pdpp-host/pdpp-host/sdk/jsonstream"
	"github.com/pdpp-host/pdpp-host/sdk/sdktest"
)

// exampleT stands in for the *testing.T of a connector's own test.
type exampleT struct{ testing.TB }

func (exampleT) Helper()                           {}
func (exampleT) Logf(string, ...any)               {}
func (exampleT) Errorf(format string, args ...any) { fmt.Printf(format+"\n", args...) }
func (exampleT) Fatalf(format string, args ...any) { panic(fmt.Sprintf(format, args...)) }

// chats is a connector of archives that have a file with messages.
type chats struct{}

func (chats) Manifest() string {
	return `{"streams": [{"name": "messages", "primary_key": ["id"], "semantics": "append_only"}]}`
}

func (chats) Collect(h *sdk.Host) error {
	folder, err := exports.Open(h, "chats")
	if err != nil {
		return err
	}
	e := &exports.Each{Read: func(f *exports.File) (exports.Outcome, error) {
		if f.Name != "messages.json" {
			return exports.Outcome{Kind: "other"}, nil
		}
		in := jsonstream.New(f.Text(), "messages.*")
		err := exports.Elements(h, in.Next, func() error {
			r := h.Record("messages")
			r.Value("id", in.Value().Get("id"))
			r.Value("text", in.Value().Get("text"))
			return r.Emit()
		})
		if err == nil {
			err = in.Err()
		}
		return exports.Outcome{Fate: exports.Read, Kind: "messages"}, err
	}}
	if err := e.Run(h, folder); err != nil {
		return err
	}
	return exports.Report(h, e.Totals().Problems)
}

// The second run over the same archives reads nothing, and says again what was wrong.
func ExampleEach() {
	pack := func(content string) *fstest.MapFile {
		var b bytes.Buffer
		z := zip.NewWriter(&b)
		w, _ := z.Create("messages.json")
		_, _ = io.WriteString(w, content)
		_ = z.Close()
		return &fstest.MapFile{Data: b.Bytes()}
	}
	folder := fstest.MapFS{
		"2025.zip": pack(`{"messages": [{"id": "1", "text": "hello"}, {"id": "2", "text": "cut`),
		"2026.zip": pack(`{"messages": [{"id": "3", "text": "again"}]}`),
	}
	first := sdktest.Collect(exampleT{}, chats{}, sdktest.Options{Roots: map[string]fs.FS{"chats": folder}})
	second := first.SecondRun(exampleT{}, nil)
	for _, run := range []*sdktest.Result{first, second} {
		fmt.Println(run.Keys("messages"), run.Skips[0].Message, string(run.Skips[0].Diagnostics))
	}
	// Output:
	// [1 3] JSON files that end in the middle: 1; what closes before was read; download them again {"count":1,"examples":["2025.zip: messages.json, at byte 68"]}
	// [] JSON files that end in the middle: 1; what closes before was read; download them again {"count":1,"examples":["2025.zip: messages.json, at byte 68"]}
}
