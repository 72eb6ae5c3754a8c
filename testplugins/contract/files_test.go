package contract

import (
	"archive/zip"
	"bytes"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/host/plugin"
)

// AC-01: what a guest says of an archive's entries is held to the bytes that were read of it.
func TestUnread(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	var packed bytes.Buffer
	z := zip.NewWriter(&packed)
	for _, name := range []string{"folder/", "a", "b", "c"} {
		w, err := z.CreateHeader(&zip.FileHeader{Name: name, Method: zip.Store})
		if err == nil && name != "folder/" {
			_, err = io.WriteString(w, strings.Repeat(name, 1000))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"x.zip": packed.String(), "x.db": "SQLite format 3\x00" + strings.Repeat("x", 5000), "x.txt": "hello", "empty": ""} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, tc := range []struct {
		path    string
		bytes   int64
		entries *abi.EntryAccount
		want    string // "" when it was read
	}{
		{"x.txt", 5, nil, ""},
		{"x.txt", 4, nil, "4 of 5 bytes"},
		{"empty", 0, nil, ""},
		{"gone", 9, nil, "no such file"},
		{"x.db", 100, nil, ""},
		{"x.db", 0, nil, "0 of 5016 bytes"},
		{"x.zip", 2000, &abi.EntryAccount{Count: 3, Read: 2, Rule: 1}, ""},
		{"x.zip", 1999, &abi.EntryAccount{Count: 3, Read: 2, Rule: 1}, "2 entries are said to be read, which have 2000 bytes at least, and 1999 bytes were"},
		{"x.zip", 2000, &abi.EntryAccount{Count: 2, Read: 2}, "it has 3 entries, and 2 are accounted for"},
		{"x.zip", 100, nil, "nothing is said of its entries"},
	} {
		got, partly := unread(dir, &plugin.SaidFile{File: plugin.GrantedFile{Root: "r", Path: tc.path}, Bytes: tc.bytes, Entries: tc.entries})
		if (got == "") != (tc.want == "") || !strings.Contains(got, tc.want) || partly != strings.HasPrefix(tc.want, "4 of") {
			t.Errorf("%s, %d bytes, %+v: got %q, want %q", tc.path, tc.bytes, tc.entries, got, tc.want)
		}
	}
	if got, _ := unread("", &plugin.SaidFile{}); got == "" {
		t.Error("a file of no folder passes for read")
	}
}
