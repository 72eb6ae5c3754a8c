package main

import (
	"bytes"
	"io/fs"
	"testing"
	"testing/fstest"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/sdk/sdktest"
)

// AC-06: no record of any stream is deleted, whatever becomes of the export that it came from.
func TestNothingIsDeleted(t *testing.T) {
	t.Parallel()
	f := folder{}
	f.put(t, "a.zip", export)
	first := f.collect(t)
	for name, change := range map[string]func(data []byte) []byte{
		"gone":                nil,
		"without a byte":      func([]byte) []byte { return []byte{} },
		"another file":        func([]byte) []byte { return []byte("hello") },
		"cut at its middle":   func(data []byte) []byte { return data[:len(data)/2] },
		"cut at its end":      func(data []byte) []byte { return data[:len(data)-40] },
		"zeros in its middle": func(data []byte) []byte { clear(data[len(data)/3 : len(data)/2]); return data },
		"zeros at its end":    func(data []byte) []byte { clear(data[len(data)/2:]); return data },
	} {
		for _, mode := range []string{abi.ModeIncremental, abi.ModeFullRefresh} {
			there := fstest.MapFS{"readme.pdf": {Data: []byte("x")}}
			if change != nil {
				there["a.zip"] = &fstest.MapFile{Data: change(bytes.Clone(f["a.zip"].Data)), ModTime: sdktest.Epoch.Add(time.Hour)}
			}
			last := first
			for range 2 {
				last = last.SecondRun(t, func(o *sdktest.Options) { o.Mode, o.Roots = mode, map[string]fs.FS{"google_takeout": there} })
				for stream := range first.Stored() {
					if gone := last.Gone(stream); len(gone) != 0 {
						t.Errorf("%s, %s: the records %q of %s are gone, want none", name, mode, gone, stream)
					}
				}
			}
		}
	}
}
