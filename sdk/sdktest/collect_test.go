package sdktest_test

import (
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"go.uber.org/goleak"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/sdk"
	"github.com/pdpp-host/pdpp-host/sdk/filecursor"
	"github.com/pdpp-host/pdpp-host/sdk/jsonvalue"
	"github.com/pdpp-host/pdpp-host/sdk/sdktest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const manifest = `{"streams":[{"name":"lines","primary_key":["id"],"semantics":"append_only","schema":{"type":"object",
"required":["id","n"],"additionalProperties":false,
"properties":{"id":{"type":"string"},"n":{"type":"integer"},"f":{"type":["number","null"]},"any":{}}}},
{"name":"other","primary_key":["id"],"semantics":"mutable_state"}]}`

type connector func(h *sdk.Host) error

func (connector) Manifest() string            { return manifest }
func (c connector) Collect(h *sdk.Host) error { return c(h) }

// lines is a small file connector: each line is {"id":…,"n":…}.
func lines(h *sdk.Host) error {
	root, _ := h.Root("in")
	files := filecursor.ParseFiles(h.Cursor("lines").Get("files"))
	var sc filecursor.Scanner
	var doc jsonvalue.Doc
	return fs.WalkDir(root, ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		if plan, err := sc.Open(root, path, files.Cursor(path)); err != nil || plan == filecursor.Skip {
			return err
		}
		for sc.Next() {
			v, err := doc.Parse(sc.Line())
			if err != nil {
				return err
			}
			r := h.Record("lines")
			r.Value("id", v.Get("id"))
			r.Value("n", v.Get("n"))
			if err := r.Emit(); err != nil {
				return err
			}
			if h.Stopping() {
				return sdk.ErrStopped
			}
		}
		res, err := sc.Close()
		if err != nil {
			return err
		}
		files.Set(path, res.Cursor, nil)
		return h.Slice("lines", path, append(files.AppendJSON([]byte(`{"files":`)), '}'))
	})
}

func file(from, to int) *fstest.MapFile {
	var b strings.Builder
	for i := from; i < to; i++ {
		fmt.Fprintf(&b, "{\"id\":\"k%d\",\"n\":%d}\n", i, i)
	}
	return &fstest.MapFile{Data: []byte(b.String())}
}

func TestSecondRun(t *testing.T) {
	t.Parallel()
	in := fstest.MapFS{"a": file(0, 3), "b": file(3, 5)}
	res := sdktest.Collect(t, connector(lines), sdktest.Options{Roots: map[string]fs.FS{"in": in}})
	if got := res.Keys("lines"); !slices.Equal(got, []string{"k0", "k1", "k2", "k3", "k4"}) {
		t.Fatalf("keys %q, want %q", got, []string{"k0", "k1", "k2", "k3", "k4"})
	}
	if rec, ok := res.Record("lines", "k2"); !ok || string(rec.Data) != `{"id":"k2","n":2}` || rec.Text("id") != "k2" {
		t.Errorf("%+v, want ok, rec.Data = %s and rec.Text(\"id\") = k2", rec, `{"id":"k2","n":2}`)
	}
	again := res.SecondRun(t, nil)
	if len(again.All) != 0 || again.Committed()["lines"] != res.Committed()["lines"] {
		t.Errorf("nothing changed, and out came %+v, want len(again.All) = 0 and again.Committed()[\"lines\"] = %v", again.All, res.Committed()["lines"])
	}
	in["b"] = file(3, 6)
	third := again.SecondRun(t, nil)
	if got := third.Keys("lines"); !slices.Equal(got, []string{"k5"}) {
		t.Errorf("keys %q, want %q", got, []string{"k5"})
	}
	full := third.SecondRun(t, func(o *sdktest.Options) { o.Mode = abi.ModeFullRefresh })
	if len(full.Keys("lines")) != 6 {
		t.Errorf("keys %q, want len(full.Keys(\"lines\")) = 6", full.Keys("lines"))
	}
}

// PB-D8: a run that is stopped keeps its complete slices and nothing else.
func TestStoppedRunKeepsSlices(t *testing.T) {
	t.Parallel()
	in := fstest.MapFS{"a": file(0, 3), "b": file(3, 5)}
	o := sdktest.Options{Roots: map[string]fs.FS{"in": in}, StopAfter: 2} // emit, state of a
	res := sdktest.Collect(t, connector(lines), o)
	if res.Done.Status != abi.DoneCancelled {
		t.Fatalf("DONE %+v, want Done.Status = %v", res.Done, abi.DoneCancelled)
	}
	again := res.SecondRun(t, nil)
	if got := again.Keys("lines"); !slices.Equal(got, []string{"k3", "k4"}) {
		t.Errorf("keys %q, want %q", got, []string{"k3", "k4"})
	}
}

// Before may change the folders under the connector.
func TestBeforeChangesFolders(t *testing.T) {
	t.Parallel()
	in := fstest.MapFS{"a": file(0, 3000)}
	o := sdktest.Options{Roots: map[string]fs.FS{"in": in}, Before: func(call string, _ []byte) *abi.Error {
		if call == "emit" {
			in["a"] = file(1000, 4500)
		}
		return nil
	}}
	res := sdktest.Collect(t, connector(lines), o)
	again := res.SecondRun(t, nil)
	if got := again.Keys("lines"); len(got) != 3500 || got[0] != "k1000" {
		t.Errorf("%d keys, want len(got) = 3500 and got[0] = k1000", len(got))
	}
}

func TestProblems(t *testing.T) {
	t.Parallel()
	raw := func(data string) connector {
		return func(h *sdk.Host) error { return h.EmitRaw("lines", "a", []byte(data)) }
	}
	for problem, c := range map[string]connector{
		"is not that of the data":              raw(`{"id":"b","n":1}`),
		"required field n is missing":          raw(`{"id":"a"}`),
		"field n is of type string":            raw(`{"id":"a","n":"1"}`),
		"field n is of type number":            raw(`{"id":"a","n":1.5}`),
		"field x is not in the schema":         raw(`{"id":"a","n":1,"x":1}`),
		"the name \"n\" twice in one object":   raw(`{"id":"a","n":1,"n":2}`),
		"not UTF-8":                            raw("{\"id\":\"a\",\"n\":1,\"any\":\"\xff\"}"),
		"not JSON":                             raw(`{"id":"a","n":1`),
		"nested too deep":                      raw(`{"id":"a","n":1,"any":` + strings.Repeat("[", 80) + strings.Repeat("]", 80) + `}`),
		"data is no object":                    raw(`[]`),
		"a field of primary_key is missing":    func(h *sdk.Host) error { return h.Record("other").Emit() },
		"neither a gap nor the outcome of one": func(h *sdk.Host) error { return h.GapRecovered("lines", "", "") },
	} {
		t.Run(problem, func(t *testing.T) {
			t.Parallel()
			res := sdktest.Collect(t, c, sdktest.Options{Tolerate: true})
			if len(res.Problems) != 1 || !strings.Contains(res.Problems[0], problem) {
				t.Errorf("problems %q, want len(res.Problems) = 1 and %v in Problems[0]", res.Problems, problem)
			}
		})
	}
	fine := []string{`{"id":"a","n":1}`, `{"id":"a","n":2.0,"f":1,"any":[1]}`, `{"id":"a","n":-1,"f":null,"any":{}}`}
	for _, data := range fine {
		sdktest.Collect(t, raw(data), sdktest.Options{})
	}
}
