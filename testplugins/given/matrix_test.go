package given

import (
	"archive/zip"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/pdpp-host/pdpp-host/testplugins/generate/corpus"
	"github.com/pdpp-host/pdpp-host/testplugins/rig/bed"
)

// given is a folder: the content of each file by its path.
type given map[string][]byte

// cell is one folder of the matrix. Whole: everything that the good export holds is in it, so that
// "Healthy" is true where the host stored as much.
type cell struct {
	name string
	make func(good given) given
	// silent is what a folder may not be called: healthy, because something in it is not understood
	// or nothing in it is the connector's.
	silent bool
	// whole: everything is in the store, and nothing is amiss.
	whole bool
}

// main is the path of the largest file, which carries the data.
func (g given) main() string {
	var path string
	for p, b := range g {
		if len(b) > len(g[path]) || len(b) == len(g[path]) && p < path {
			path = p
		}
	}
	return path
}

// with returns the folder with another content of its main file, and more files.
func (g given) with(change func([]byte) []byte, more given) given {
	out := given{}
	maps.Copy(out, g)
	if change != nil {
		p := g.main()
		out[p] = change(bytes.Clone(g[p]))
	}
	maps.Copy(out, more)
	return out
}

// foreign is an archive of something else.
func foreign() []byte {
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	w, err := z.Create("holiday/beach.raw")
	if err == nil {
		_, err = io.WriteString(w, strings.Repeat("sand ", 100))
	}
	if err = errors.Join(err, z.Close()); err != nil {
		panic(err)
	}
	return b.Bytes()
}

func zipped(b []byte) []byte {
	var out bytes.Buffer
	z := gzip.NewWriter(&out)
	_, err := z.Write(b)
	if err = errors.Join(err, z.Close()); err != nil {
		panic(err)
	}
	return out.Bytes()
}

// damages are ways in which a file is broken. A cut in the middle of a line or an entry.
var damages = map[string]func(b []byte) []byte{
	"cut in half":          func(b []byte) []byte { return b[:len(b)/2+1] },
	"cut at its end":       func(b []byte) []byte { return b[:len(b)-7] },
	"cut at its beginning": func(b []byte) []byte { return b[len(b)/3:] },
	"zeros within":         func(b []byte) []byte { clear(b[len(b)/2 : len(b)/2+64]); return b },
	"zeros in front":       func(b []byte) []byte { return append(make([]byte, 512), b...) },
	"letters within":       func(b []byte) []byte { copy(b[len(b)/2:], "@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@"); return b },
	"letters behind":       func(b []byte) []byte { return append(b, "@@@@@@@@"...) },
	"a hole":               func(b []byte) []byte { return slices.Delete(b, len(b)/2, len(b)/2+40) },
	"a piece twice":        func(b []byte) []byte { return slices.Insert(b, len(b)/2, slices.Clone(b[len(b)/2-40:len(b)/2])...) },
	"a page in its place":  func([]byte) []byte { return []byte("<!DOCTYPE html><html><body>Sign in</body></html>") },
}

func cells() []cell {
	keep := func(g given) given { return g }
	list := []cell{
		{"good", keep, false, false},
		{"empty folder", func(given) given { return given{} }, true, false},
		{"a foreign file alone", func(given) given { return given{"holiday.raw": []byte("sand")} }, true, false},
		{"a foreign archive alone", func(given) given { return given{"holiday.zip": foreign()} }, true, false},
		{"a foreign file beside", func(g given) given { return g.with(nil, given{"holiday.raw": []byte("sand")}) }, true, false},
		{"a foreign archive beside", func(g given) given { return g.with(nil, given{"holiday.zip": foreign()}) }, true, false},
		{"compressed", func(g given) given {
			p := g.main()
			out := g.with(nil, given{p + ".gz": zipped(g[p])})
			delete(out, p)
			return out
		}, false, false},
		{"another version", func(g given) given {
			return g.with(nil, given{filepath.Dir(g.main()) + "/v9.newformat": []byte(`{"version":9,"data":[1]}`)})
		}, true, false},
		{"twice", func(g given) given {
			return g.with(nil, given{filepath.Dir(g.main()) + "/again-" + filepath.Base(g.main()): g[g.main()]})
		}, false, false},
	}
	for name, change := range damages {
		list = append(list, cell{"damaged: " + name, func(g given) given { return g.with(change, nil) }, false, false})
	}
	return append(list, nameCells()...)
}

func (g given) write(t *testing.T, dir string) {
	t.Helper()
	for p, b := range g {
		at := filepath.Join(dir, p)
		if err := os.MkdirAll(filepath.Dir(at), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(at, b, 0o600); err != nil {
			t.Fatal(err)
		}
		old := time.Now().Add(-48 * time.Hour)
		if err := os.Chtimes(at, old, old); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
}

// goodOf is a small good export of a connector.
func goodOf(t *testing.T, connector string) given {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "good")
	if _, err := corpus.Write(corpus.Options{Kind: connector, Bytes: 6000, Dir: dir, Seed: 7}); err != nil {
		t.Fatal(err)
	}
	g := given{}
	err := filepath.WalkDir(dir, func(p string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		b, err := os.ReadFile(p) //nolint:gosec // a folder of the test's own
		rel, rerr := filepath.Rel(dir, p)
		g[filepath.ToSlash(rel)] = b
		return errors.Join(err, rerr)
	})
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// outcome is what a run and the verdict behind it say.
type outcome struct {
	records map[string]int64 // new, by stream
	tone    string
	said    string
	told    bool // something was said to be missing
}

func collect(t *testing.T, o *bed.Owner, connector, name string, g given) outcome {
	t.Helper()
	dir := filepath.Join(o.Home, "in", name)
	g.write(t, dir)
	connection := "c" + strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' {
			return r
		}
		return '-'
	}, name)
	var ran struct {
		Result struct {
			Records map[string]struct {
				New int64 `json:"new"`
			} `json:"records"`
			KnownGaps []json.RawMessage `json:"known_gaps"`
		} `json:"result"`
	}
	out, _ := o.Command("run", connector, "--connection", connection, "--root", connector+"="+dir, "--accept", "--no-input", "--json").Output()
	if err := json.Unmarshal(out, &ran); err != nil {
		t.Fatalf("%s: the run says %.300s: %v", name, out, err)
	}
	var status struct {
		Result struct {
			Connections []struct {
				Verdict struct {
					Pill struct {
						Tone string `json:"tone"`
					} `json:"pill"`
					ForwardStatement string `json:"forward_statement"`
				} `json:"verdict"`
			} `json:"connections"`
		} `json:"result"`
	}
	out, _ = o.Command("status", connection, "--json").Output()
	if err := json.Unmarshal(out, &status); err != nil || len(status.Result.Connections) != 1 {
		t.Fatalf("%s: the status says %.300s: %v", name, out, err)
	}
	v := status.Result.Connections[0].Verdict
	got := outcome{records: map[string]int64{}, tone: v.Pill.Tone, said: v.ForwardStatement, told: len(ran.Result.KnownGaps) > 0}
	for stream, n := range ran.Result.Records {
		if !strings.HasSuffix(stream, "_diagnostics") && !strings.HasSuffix(stream, "_inventory") {
			got.records[stream] = n.New
		}
	}
	return got
}

// AC-14: over no odd folder is a connection called healthy, unless everything that the good export
// has is in the store; and what is missing is told.
func TestMatrix(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("builds modules, and runs them a hundred times")
	}
	for _, connector := range corpus.Kinds() {
		t.Run(connector, func(t *testing.T) {
			t.Parallel()
			o := bed.New(t, connector)
			good := goodOf(t, connector)
			want := collect(t, o, connector, "good", good)
			if want.tone != "green" {
				t.Fatalf("the good export: got %s, %q, want it healthy", want.tone, want.said)
			}
			for _, c := range cells()[1:] {
				folder := c.make(good)
				if folder == nil {
					continue
				}
				got := collect(t, o, connector, c.name, folder)
				less := false
				for stream, n := range want.records {
					less = less || got.records[stream] < n
				}
				switch {
				case c.whole && (less || got.tone != "green"):
					t.Errorf("%s: got %s, %q, over %v, want healthy over %v", c.name, got.tone, got.said, got.records, want.records)
				case got.tone == "green" && c.silent:
					t.Errorf("%s: got healthy, %q, want that it is not", c.name, got.said)
				case got.tone == "green" && less && !got.told:
					t.Errorf("%s: got healthy over %v, want %v or a word of what is missing", c.name, got.records, want.records)
				case got.tone == "green" && less:
					t.Logf("%s: healthy with less, and told: %v of %v", c.name, got.records, want.records)
				}
			}
		})
	}
}
