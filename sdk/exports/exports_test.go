package exports_test

import (
	"archive/zip"
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strconv"
	"testing"
	"testing/fstest"
	"time"

	"go.uber.org/goleak"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/sdk"
	"github.com/pdpp-host/pdpp-host/sdk/archive"
	"github.com/pdpp-host/pdpp-host/sdk/csv"
	"github.com/pdpp-host/pdpp-host/sdk/exports"
	"github.com/pdpp-host/pdpp-host/sdk/jsonstream"
	"github.com/pdpp-host/pdpp-host/sdk/jsonvalue"
	"github.com/pdpp-host/pdpp-host/sdk/markup"
	"github.com/pdpp-host/pdpp-host/sdk/mbox"
	"github.com/pdpp-host/pdpp-host/sdk/sdktest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// connector emits a record for each entry; it counts how often each was read.
type connector struct{ read map[string]int }

func (connector) Manifest() string {
	return `{"streams":[{"name":"notes","primary_key":["id"],"semantics":"append_only"},{"name":"tags","primary_key":["id"],"semantics":"append_only"}]}`
}

func (c connector) Collect(h *sdk.Host) error {
	folder, err := exports.Open(h, "notes")
	if err != nil {
		return err
	}
	e := &exports.Each{}
	e.Read = func(f *exports.File) (exports.Outcome, error) {
		o := exports.Outcome{Fate: exports.Read, Kind: "notes"}
		name := f.Name
		c.read[name]++
		n, err := io.Copy(io.Discard, f)
		if err != nil {
			return o, err
		}
		if n == 0 {
			e.Books.Note("empty", f.Place, "")
		}
		for _, stream := range h.Streams() {
			r := h.Record(stream)
			r.String("id", name)
			if err := r.Emit(); err != nil {
				return o, err
			}
		}
		return o, nil
	}
	if err := e.Run(h, folder); err != nil {
		return err
	}
	books := e.Totals()
	h.Log(sdk.Info, fmt.Sprint(books.Kinds, books.Problems.Count("empty")))
	return exports.Report(h, books.Problems, exports.Problem{Code: "empty", Text: "empty notes: #", Hint: "not_retriable"})
}

// zero is endless.
type zero struct{}

func (zero) Read(b []byte) (int, error) {
	clear(b)
	return len(b), nil
}

// file is an archive whose entries are not packed, so that slices come soon.
func file(t testing.TB, at int, sizes ...int) *fstest.MapFile {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for i, size := range sizes {
		w, err := z.CreateHeader(&zip.FileHeader{Name: strconv.Itoa(at) + "-" + strconv.Itoa(i), Method: zip.Store})
		if err == nil {
			_, err = io.CopyN(w, zero{}, int64(size))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return &fstest.MapFile{Data: b.Bytes(), ModTime: sdktest.Epoch.Add(time.Duration(at) * time.Second)}
}

func collect(t testing.TB, folder fstest.MapFS, change func(*sdktest.Options)) (*sdktest.Result, connector) {
	t.Helper()
	c := connector{read: make(map[string]int)}
	o := sdktest.Options{Roots: map[string]fs.FS{"notes": folder}}
	if change != nil {
		change(&o)
	}
	return sdktest.Collect(t, c, o), c
}

// An archive is read once, for every stream that lacks it, and what was found in it is said
// again as long as it is there.
func TestEachArchiveIsReadOnce(t *testing.T) {
	t.Parallel()
	folder := fstest.MapFS{"a.zip": file(t, 1, 3, 0), "b.zip": file(t, 2, 5)}
	first, c := collect(t, folder, func(o *sdktest.Options) { o.Streams = []string{"notes"} })
	if got, want := fmt.Sprint(first.Keys("notes"), c.read), "[1-0 1-1 2-0] map[1-0:1 1-1:1 2-0:1]"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	both := first.SecondRun(t, func(o *sdktest.Options) { o.Streams = nil })
	if got, want := fmt.Sprint(both.Keys("notes"), both.Keys("tags")), "[1-0 1-1 2-0] [1-0 1-1 2-0]"; got != want {
		t.Errorf("with another stream: got %s, want %s", got, want)
	}
	delete(folder, "b.zip")
	folder["c.zip"] = file(t, 3, 7)
	third := both.SecondRun(t, nil)
	if got, want := fmt.Sprint(third.Keys("notes"), third.Logs, len(third.Skips)), "[3-0] [map[notes:3] 1] 1"; got != want {
		t.Errorf("with another archive: got %s, want %s", got, want)
	}
	folder["c.zip"] = file(t, 4, 7) // the same size, another time
	if got, want := fmt.Sprint(third.SecondRun(t, nil).Keys("notes")), "[4-0]"; got != want {
		t.Errorf("of a changed archive: got %s, want %s", got, want)
	}
}

// A run that is interrupted goes on behind its last slice (PB-D8).
func TestARunGoesOnInTheMiddle(t *testing.T) {
	t.Parallel()
	const large = 65 << 20 // above what is read between two slices
	folder := fstest.MapFS{"a.zip": file(t, 1, large, large, 9, 9)}
	slices := 0
	first, _ := collect(t, folder, func(o *sdktest.Options) {
		o.Tolerate = true
		o.Before = func(call string, _ []byte) *abi.Error {
			if call == "state" {
				if slices++; slices > 2 { // both streams' first
					return abi.NewError(abi.CodeInternal, "the host went away", "")
				}
			}
			return nil
		}
	})
	second := first.SecondRun(t, func(o *sdktest.Options) { o.Before, o.Tolerate = nil, false })
	if got, want := fmt.Sprint(first.Keys("notes"), second.Keys("notes")), "[1-0 1-1] [1-1 1-2 1-3]"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// An archive that ends each run, such as by its time, does not have the others wait for ever.
func TestArchivesTakeTurns(t *testing.T) {
	t.Parallel()
	folder := fstest.MapFS{"a.zip": file(t, 1, 3), "b.zip": file(t, 2, 5), "c.zip": file(t, 3, 7)}
	endless := func(o *sdktest.Options) {
		o.Tolerate = true
		o.Before = func(call string, payload []byte) *abi.Error {
			if call == "emit" && bytes.Contains(payload, []byte(`"1-0"`)) {
				return abi.NewError(abi.CodeInternal, "the time of the run is over", "")
			}
			return nil
		}
	}
	first, c := collect(t, folder, endless)
	if got, want := fmt.Sprint(first.Keys("notes"), c.read), "[] map[1-0:1]"; got != want {
		t.Errorf("first run: got %s, want %s", got, want)
	}
	second := first.SecondRun(t, endless)
	if got, want := fmt.Sprint(second.Keys("notes")), "[2-0 3-0]"; got != want {
		t.Errorf("second run: got %s, want %s", got, want)
	}
	third := second.SecondRun(t, func(o *sdktest.Options) { o.Before, o.Tolerate = nil, false })
	if got, want := fmt.Sprint(third.Keys("notes"), third.Logs), "[1-0 2-0 3-0] [map[notes:3] 0]"; got != want {
		t.Errorf("third run: got %s, want %s", got, want)
	}
	// Those that are newer have the last word again from the third of its runs on, and after it when it ends.
	for n, want := range []string{"[]", "[2-0 3-0]", "[2-0 3-0]"} {
		if second = second.SecondRun(t, endless); fmt.Sprint(second.Keys("notes")) != want {
			t.Errorf("run %d without an end: got %s, want %s", n+3, second.Keys("notes"), want)
		}
	}
	last := second.SecondRun(t, func(o *sdktest.Options) { o.Before, o.Tolerate = nil, false })
	if got := last.Keys("notes"); got[len(got)-1] != "3-0" || !slices.Contains(got, "1-0") {
		t.Errorf("the last run: got %s, want the newest one behind the oldest", got)
	}
}

// partly knows the files of an archive, and reads none.
type partly struct{ connector }

func (partly) Collect(h *sdk.Host) error {
	folder, err := exports.Open(h, "notes")
	if err != nil {
		return err
	}
	e := &exports.Each{Read: func(*exports.File) (exports.Outcome, error) {
		return exports.Outcome{Fate: exports.Known, Kind: "notes", Why: "old"}, nil
	}}
	return e.Run(h, folder)
}

// AC-02: an archive that is damaged has each reason that is told of it, also those of files before the damage.
func TestADamagedArchiveHasEachReason(t *testing.T) {
	t.Parallel()
	broken := file(t, 1, 3, 4)
	broken.Data[bytes.LastIndex(broken.Data, []byte("PK\x01\x02"))] = 'X'
	res := sdktest.Collect(t, partly{}, sdktest.Options{Roots: map[string]fs.FS{"notes": fstest.MapFS{"a.zip": broken}}})
	var got []string
	for _, a := range res.Accounts {
		for _, f := range a.Files {
			got = append(got, f.As+" "+f.Reason)
		}
	}
	if slices.Sort(got); !slices.Equal(got, []string{"damaged archive_corrupt", "known old"}) {
		t.Errorf("got %q, want both reasons", got)
	}
}

// An archive that cannot be read to its end is told in each run, and read once.
func TestADamagedArchiveIsReadOnce(t *testing.T) {
	t.Parallel()
	whole := file(t, 1, 65<<20, 3) // a slice lies between
	broken := bytes.Clone(whole.Data)
	at := bytes.LastIndex(broken, []byte("PK\x01\x02"))
	broken[at] = 'X'
	folder := fstest.MapFS{"a.zip": {Data: broken, ModTime: whole.ModTime}, "b.zip": {Data: []byte("none")}}
	first, _ := collect(t, folder, nil)
	second := first.SecondRun(t, nil)
	for keys, res := range map[string]*sdktest.Result{"[1-0 1-1]": first, "[]": second} {
		var reasons []string
		for _, s := range res.Skips {
			reasons = append(reasons, s.Reason+": "+s.Message+" "+string(s.Diagnostics))
		}
		want := []string{
			"archive_corrupt: archives or files in them that are damaged: 1; download them again " +
				`{"count":1,"examples":["a.zip, its directory has fewer entries than its end says; what closes before byte 68157541 was read"]}`,
			"archive_not_an_archive: files that are named like archives, and are none: 1; download them again, or say that they may stay as they are " + `{"count":1,"examples":["b.zip"]}`,
		}
		if !slices.Equal(reasons, want) || fmt.Sprint(res.Keys("notes")) != keys || res.File("notes", "a.zip") != abi.FileDamaged {
			t.Errorf("got %v, %q and the file %s, want %s, %q and %s", res.Keys("notes"), reasons, res.File("notes", "a.zip"), keys, want, abi.FileDamaged)
		}
	}
}

// failingFS reads only so many bytes of a file.
type failingFS struct {
	fs.FS

	left *int
}

type failingFile struct {
	fs.File

	left *int
}

func (f failingFS) Open(name string) (fs.File, error) {
	file, err := f.FS.Open(name)
	if name == "." || err != nil {
		return file, err
	}
	return failingFile{file, f.left}, nil
}

func (f failingFile) Read(b []byte) (int, error) {
	n, err := f.File.Read(b)
	if *f.left -= n; *f.left < 0 {
		return 0, errors.New("the disk is gone")
	}
	return n, err
}

func (f failingFile) Seek(at int64, whence int) (int64, error) {
	return f.File.(io.Seeker).Seek(at, whence)
}

// A disk that fails in the middle of a file says nothing of the archive: it is read again.
func TestAFailingDiskIsNoFaultOfTheArchive(t *testing.T) {
	t.Parallel()
	left := 150_000 // the end, the directory, and the first entry; not the second
	folder := fstest.MapFS{"a.zip": file(t, 1, 3, 200_000, 3)}
	first, _ := collect(t, folder, func(o *sdktest.Options) { o.Roots = map[string]fs.FS{"notes": failingFS{folder, &left}} })
	if len(first.Skips) != 1 || first.Skips[0].Reason != exports.Unreadable {
		t.Errorf("the run says %v, want %s", first.Skips, exports.Unreadable)
	}
	left = 10_000_000
	second := first.SecondRun(t, nil)
	if got, want := fmt.Sprint(second.Keys("notes"), len(second.Skips)), "[1-0 1-1 1-2] 0"; got != want {
		t.Errorf("the run behind it: got %s, want %s", got, want)
	}
}

// Each code of a reader has its words.
func TestEveryFaultHasWords(t *testing.T) {
	t.Parallel()
	for _, code := range []abi.Code{
		archive.CodeNotArchive, archive.CodeTruncated, archive.CodeCorrupt, archive.CodeEncrypted, archive.CodeUnsupported, archive.CodeUnsafeName,
		archive.CodeDuplicateName, archive.CodeNested, archive.CodeTooLarge, archive.CodeRead, jsonstream.CodeSyntax, jsonstream.CodeTruncated,
		csv.CodeTruncated, csv.CodeSyntax, mbox.CodeNotMailbox, mbox.CodeDamaged, mbox.CodeTruncated, markup.CodeSyntax, markup.CodeTruncated, markup.CodeTooLarge,
	} {
		if exports.ProblemOf(abi.NewError(code, "", "")) == "" {
			t.Errorf("%s has no words", code)
		}
	}
	for _, err := range []error{nil, io.EOF, abi.NewError(abi.CodeInternal, "", "")} {
		if got := exports.ProblemOf(err); got != "" {
			t.Errorf("%v is the problem %s, want none of an archive", err, got)
		}
	}
}

func TestOpen(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		roots map[string]fs.FS
		want  string
	}{
		"not granted": {nil, "notes_folder_missing"},
		"unreadable":  {map[string]fs.FS{"notes": brokenFS{}}, "directory_read_failed"},
		"empty":       {map[string]fs.FS{"notes": fstest.MapFS{}}, ""},
	} {
		res, _ := collect(t, nil, func(o *sdktest.Options) { o.Roots = c.roots })
		got := ""
		if res.Done.Error != nil {
			got = res.Done.Error.Code
		}
		if got != c.want {
			t.Errorf("%s: the run ends with %q, want %q", name, got, c.want)
		}
		if said := len(res.Skips) == 1 && res.Skips[0].Reason == "nothing_found"; said != (c.want == "") {
			t.Errorf("%s: the run says %v, want nothing_found only of an empty folder", name, res.Skips)
		}
	}
}

type brokenFS struct{}

func (brokenFS) Open(string) (fs.File, error) { return nil, errors.New("the disk is gone") }

func TestTimesAndParameters(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		`"2022-11-09T12:34:56.789+01:00"`: "2022-11-09T11:34:56.789Z", `"Wed Nov 09 12:34:56 +0000 2022"`: "2022-11-09T12:34:56Z",
		`"1577836800000"`: "2020-01-01T00:00:00Z", `1577836800123`: "2020-01-01T00:00:00.123Z", `"-1"`: "1969-12-31T23:59:59.999Z", `"-70000000000000000"`: "", `"2016-01-02 03:04:05 +0100"`: "2016-01-02T02:04:05Z", `"soon"`: "", `null`: "", `"0001-01-01T00:00:00Z"`: "", `"0001-01-01T05:00:00+06:00"`: "", `"9999-12-31T23:00:00-02:00"`: "", `"0001-01-02T00:00:00Z"`: "0001-01-02T00:00:00Z", `9e9`: "", `999999999999999999`: "",
	} {
		v, err := jsonvalue.Parse([]byte(in))
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		if at, ok := exports.Time(v, 1000); ok {
			got = at.Format(time.RFC3339Nano)
		}
		if got != want {
			t.Errorf("%s is the time %q, want %q", in, got, want)
		}
	}
	for in, want := range map[string]string{
		"https://x.org/search?a=1&q=K%C3%B6ln+am%20Rhein#q=2": "Köln am Rhein true", "/search?q=%zz%4": "%zz%4 true", "/search?qq=1": " false", "/find?q=1": " false", "": " false",
	} {
		value, ok := exports.Parameter(in, "/search", "q")
		if got := value + " " + strconv.FormatBool(ok); got != want {
			t.Errorf("%q has %q, want %q", in, got, want)
		}
	}
}
