package main

import (
	"bytes"
	"encoding/json"
	"flag"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/pdpp-host/pdpp-host/sdk/sdktest"
)

var update = flag.Bool("update", false, "write testdata/example.golden.jsonl anew")

// Every record of the bundled example, without the times of its files, which a checkout
// does not keep.
func TestGoldenRecords(t *testing.T) {
	t.Parallel()
	dir := os.DirFS(filepath.Join("..", "..", "examples", "claude_code"))
	r := checked(t, sdktest.Collect(t, connector{}, sdktest.Options{Roots: map[string]fs.FS{rootHome: dir}}))
	var got bytes.Buffer
	for _, rec := range r.All {
		delete(rec.Fields, "mtime_epoch")
		if rec.Text("kind") == "tool_result" {
			delete(rec.Fields, "timestamp")
		}
		e := json.NewEncoder(&got)
		e.SetEscapeHTML(false)
		if err := e.Encode(map[string]any{"stream": rec.Stream, "key": rec.Key, "data": rec.Fields}); err != nil {
			t.Fatal(err)
		}
	}
	golden := filepath.Join("testdata", "example.golden.jsonl")
	if *update {
		if err := os.WriteFile(golden, got.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	gotLines, wantLines := bytes.Split(got.Bytes(), []byte("\n")), bytes.Split(want, []byte("\n"))
	for i := range max(len(gotLines), len(wantLines)) {
		if i >= len(gotLines) || i >= len(wantLines) || !bytes.Equal(gotLines[i], wantLines[i]) {
			t.Fatalf("line %d differs from %s; look, then run with -update, want i less than %v, i less than %v and gotLines[i] = wantLines[i]", i+1, golden, len(gotLines), len(wantLines))
		}
	}
}
