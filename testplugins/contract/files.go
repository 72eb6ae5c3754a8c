package contract

import (
	"archive/zip"
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"

	"github.com/pdpp-host/pdpp-host/host/plugin"
	"github.com/pdpp-host/pdpp-host/host/run"
)

// judgeFiles holds what the connector says that it has read to the bytes that the first run took,
// when no cursor names a place.
func (s *suite) judgeFiles(res *run.Result) {
	if res.Files == nil || len(res.Files.Said) == 0 {
		if s.report.pass("collect.files"); s.report.delivered > 0 {
			s.report.skip("collect.files", "the connector says of no file that it has read it")
		}
		return
	}
	var wrong []string
	for i := range res.Files.Said {
		f := &res.Files.Said[i]
		switch why, begun := unread(s.Roots[f.Root], f); {
		case begun && f.Partly: // as a rule of its manifest has it
		case why != "":
			wrong = append(wrong, f.Root+"/"+f.Path+": "+why)
		}
	}
	s.report.judge("collect.files", listed(wrong))
}

// unread says what of a file below a folder was not read, "" when it was. begun: its end was not,
// and nothing else is wrong.
func unread(dir string, f *plugin.SaidFile) (why string, begun bool) {
	at := filepath.Join(dir, filepath.FromSlash(f.Path))
	info, err := os.Stat(at)
	if dir == "" || err != nil {
		return "there is no such file", false
	}
	if f.Bytes >= info.Size() {
		return "", false
	}
	switch head := beginning(at); {
	case bytes.HasPrefix(head, []byte("PK")):
		return unpacked(at, f), false
	case bytes.HasPrefix(head, []byte("SQLite format 3")) && f.Bytes > 0:
		return "", false // pages are read as they are asked for
	}
	return fmt.Sprintf("%d of %d bytes were read", f.Bytes, info.Size()), f.Bytes > 0
}

func beginning(path string) []byte {
	f, err := os.Open(path) //nolint:gosec // below a folder that whoever runs the suite has named
	if err != nil {
		return nil
	}
	defer func() { _ = f.Close() }()
	const most = 16
	head := make([]byte, most)
	n, _ := io.ReadFull(f, head)
	return head[:n]
}

// unpacked says what an account of a zip's entries has too much: as many bytes were read as the
// smallest entries have of which it says that they were read.
func unpacked(path string, f *plugin.SaidFile) string {
	z, err := zip.OpenReader(path)
	if err != nil || f.Entries == nil {
		return fmt.Sprintf("%d bytes of it were read, and nothing is said of its entries", f.Bytes)
	}
	defer func() { _ = z.Close() }()
	var sizes []uint64
	for _, e := range z.File {
		if !e.FileInfo().IsDir() {
			sizes = append(sizes, e.CompressedSize64)
		}
	}
	if int64(len(sizes)) != f.Entries.Count {
		return fmt.Sprintf("it has %d entries, and %d are accounted for", len(sizes), f.Entries.Count)
	}
	slices.Sort(sizes)
	var least uint64
	for _, n := range sizes[:min(f.Entries.Read, int64(len(sizes)))] {
		least += n
	}
	if uint64(f.Bytes) < least { //nolint:gosec // a count of bytes
		return fmt.Sprintf("%d entries are said to be read, which have %d bytes at least, and %d bytes were", f.Entries.Read, least, f.Bytes)
	}
	return ""
}
