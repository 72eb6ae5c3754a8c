package main

import (
	"strings"
	"testing"
	"testing/fstest"

	"github.com/pdpp-host/pdpp-host/abi"
)

// AC-02, AC-07: an archive is one by its first bytes, whatever its name ends with. A piece of one is told as that,
// and a file that is no text is not told as text in another encoding.
func TestArchivesUnderOtherNames(t *testing.T) {
	t.Parallel()
	zips := folder{}
	zips.put(t, "a.zip", map[string]string{"p.json": `{"title":"p","photoTakenTime":{"timestamp":"1577836800"}}`})
	packed := zips["a.zip"].Data
	binary := []byte("\x00\xff\xfe\xfd binary \xe4\xf6")
	for name, c := range map[string]struct {
		data   []byte
		photos int
		told   string
		file   string
	}{
		"takeout.zip.pdf":  {packed, 1, "", abi.FileRead},
		"takeout.json":     {packed, 1, "", abi.FileRead},
		"takeout.docx":     {packed, 0, "", abi.FileUnknown},
		"takeout.zip.001":  {packed[:40], 0, "archive_in_pieces[takeout.zip.001]manual_action_required", abi.FileKnown},
		"takeout.zip.002":  {packed[40:], 0, "archive_in_pieces[takeout.zip.002]manual_action_required", abi.FileKnown},
		"takeout.tgz.012":  {packed[40:], 0, "archive_in_pieces[takeout.tgz.012]manual_action_required", abi.FileKnown},
		"takeout.z01":      {packed[40:], 0, "archive_in_pieces[takeout.z01]manual_action_required", abi.FileKnown},
		"notes.002":        {binary, 0, "", abi.FileUnknown},
		"notes.txt":        {binary, 0, "", abi.FileUnknown},
		"takeout.z1":       {binary, 0, "", abi.FileUnknown},
		"takeout.zip.0002": {binary, 0, "", abi.FileUnknown},
	} {
		f := folder{name: &fstest.MapFile{Data: c.data}}
		res := f.collect(t)
		if got := len(res.Records(streamPhotos)); got != c.photos || told(res) != c.told || res.File("google_takeout", name) != c.file {
			t.Errorf("%s: got %d photos, %q, and the file is %q, want %d, %q and %q", name, got, told(res), res.File("google_takeout", name), c.photos, c.told, c.file)
		}
	}
}

// AC-10: a folder that lies too deep is told with what to do.
func TestAFolderThatLiesTooDeep(t *testing.T) {
	t.Parallel()
	f := folder{}
	f["a"+strings.Repeat("/a", 40)+"/p.json"] = &fstest.MapFile{Data: []byte(`{}`)}
	res := f.collect(t)
	if len(res.Skips) != 1 || res.Skips[0].Reason != "folder_too_deep" || !strings.Contains(res.Skips[0].Message, "move them further up") {
		t.Errorf("the run says %v, want the folder, and what to do", res.Skips)
	}
}

// AC-07: a history that has one activity a line is read like a list.
func TestAHistoryInLines(t *testing.T) {
	t.Parallel()
	line := func(id, hour string) string {
		return `{"header":"YouTube","title":"Watched ` + id + `","titleUrl":"https://www.youtube.com/watch?v=` + id + `","time":"2023-05-02T` + hour + `:00:00Z"}`
	}
	for name, c := range map[string]struct {
		text string
		want int
		told string
	}{
		"lines":           {line("a", "01") + "\n" + line("b", "02") + "\n" + line("c", "03") + "\n", 3, ""},
		"no last line":    {line("a", "01") + "\r\n\r\n" + line("b", "02"), 2, ""},
		"one":             {line("a", "01") + "\n", 1, ""},
		"a damaged one":   {line("a", "01") + "\n" + strings.Replace(line("b", "02"), `"time"`, `time"`, 1) + "\n" + line("c", "03") + "\n", 2, "jsonstream_syntax"},
		"cut in the last": {line("a", "01") + "\n" + line("b", "02")[:40], 1, "jsonstream_truncated"},
	} {
		f := folder{}
		f["watch-history.json"] = &fstest.MapFile{Data: []byte(c.text)}
		res := f.collect(t)
		if got := len(res.Records(streamWatched)); got != c.want || skips(res) != c.told {
			t.Errorf("%s: got %d videos and %q, want %d and %q", name, got, skips(res), c.want, c.told)
		}
	}
}
