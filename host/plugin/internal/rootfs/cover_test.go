package rootfs

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
)

// watched notes which files were read whole.
type watched struct{ ended []string }

func (*watched) Listed(int)                        {}
func (*watched) Opened(string, os.FileInfo) *int64 { return nil }
func (w *watched) Ended(path string)               { w.ended = append(w.ended, path) }

type read struct{ off, n int }

// AC-01: a file is read once each of its bytes was: bytes that are read again count once, in
// whatever order they come.
func TestWholeIsEachByte(t *testing.T) {
	t.Parallel()
	const size = 100_000
	again := make([]read, 0, 201)
	for range 200 {
		again = append(again, read{0, 512})
	}
	var backwards, scattered []read
	for at := size - 100; at >= 0; at -= 100 {
		backwards = append(backwards, read{at, 100})
	}
	for at := 0; at < size; at += 200 {
		scattered = append(scattered, read{at, 100})
	}
	for at := 100; at < size; at += 200 {
		scattered = append(scattered, read{at, 100})
	}
	zipped := []read{{size - 22, 22}, {size - 500, 478}, {0, 30}, {90, 50_000}, {50_200, 30}, {50_300, size - 50_800}}
	for name, tc := range map[string]struct {
		head  string
		reads []read
		whole bool
	}{
		"at once":              {"{", []read{{0, size}}, true},
		"beyond its end":       {"{", []read{{0, size + 512}}, true},
		"its end":              {"{", []read{{size - 22, 22}}, false},
		"its head, repeatedly": {"{", append(again, read{size - 1, 1}), false},
		"one byte is missing":  {"{", []read{{0, 500}, {501, size - 501}}, false},
		"its first byte":       {"{", []read{{1, size - 1}}, false},
		"its last byte":        {"{", []read{{0, size - 1}}, false},
		"overlapping":          {"{", []read{{40_000, 60_000}, {0, 50_000}}, true},
		"backwards":            {"{", backwards, true},
		"too scattered":        {"{", scattered, false},
		"a zip, by entry":      {"PK\x03\x04", zipped, true},
		"no zip, like one":     {"{", zipped, false},
		"a zip within":         {"{0000000PK\x03\x04", append([]read{{8, 40}}, zipped...), false},
		"a zip's directory":    {"PK\x03\x04", []read{{size - 22, 22}, {size - 500, 478}, {0, 30}}, false},
		"a zip but an entry":   {"PK\x03\x04", []read{{size - 500, 500}, {0, 30}, {90, 50_000}, {60_000, size - 60_500}}, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			if err := os.WriteFile(filepath.Join(dir, "f"), append([]byte(tc.head), bytes.Repeat([]byte("x"), size-len(tc.head))...), 0o600); err != nil {
				t.Fatal(err)
			}
			root, err := os.OpenRoot(dir)
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = root.Close() }()
			w := &watched{}
			f, errno := New(root, w).OpenFile("f", 0, 0)
			if errno != 0 {
				t.Fatal(errno)
			}
			defer func() { _ = f.Close() }()
			for _, r := range tc.reads {
				if _, errno := f.Pread(make([]byte, r.n), int64(r.off)); errno != 0 {
					t.Fatal(errno)
				}
			}
			if got := len(w.ended) == 1; got != tc.whole || len(w.ended) > 1 {
				t.Errorf("got %v, want it read whole: %v", w.ended, tc.whole)
			}
		})
	}
}
