package archive_test

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/sdk/archive"
)

// item is one entry to pack.
type item struct {
	name, content string
	stored        bool
}

func packZip(t testing.TB, items ...item) []byte {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for _, it := range items {
		h := &zip.FileHeader{Name: it.name, Method: zip.Deflate}
		if it.stored {
			h.Method = zip.Store
		}
		w, err := z.CreateHeader(h)
		if err == nil {
			_, err = io.WriteString(w, it.content)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func packTar(t testing.TB, headers ...tar.Header) []byte {
	t.Helper()
	var b bytes.Buffer
	g := gzip.NewWriter(&b)
	w := tar.NewWriter(g)
	for _, h := range headers {
		content := h.Linkname
		if h.Typeflag == 0 {
			h.Typeflag, h.Size, h.Linkname = tar.TypeReg, int64(len(content)), ""
		}
		h.Mode = 0o600
		if err := w.WriteHeader(&h); err != nil {
			t.Fatal(err)
		}
		if h.Typeflag == tar.TypeReg {
			if _, err := io.WriteString(w, content); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := errors.Join(w.Close(), g.Close()); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func open(b []byte, l archive.Limits) (*archive.Reader, error) {
	return archive.Open(fstest.MapFS{"a": {Data: b}}, "a", l)
}

// walk describes what an archive holds: a line for each entry with its content or its code,
// and one for what ended the walk.
func walk(b []byte, l archive.Limits) string {
	var out strings.Builder
	code := func(err error) string {
		var e *abi.Error
		if !errors.As(err, &e) {
			return "untyped: " + err.Error()
		}
		return strings.TrimSpace(string(e.Code) + " " + e.Detail)
	}
	a, err := open(b, l)
	if err != nil {
		return code(err)
	}
	defer a.Close()
	for a.Next() {
		e := a.Entry()
		content, err := io.ReadAll(a)
		out.WriteString(e.Name + "=")
		if err != nil {
			out.WriteString("!" + code(err) + "\n")
			continue
		}
		out.WriteString(string(content) + "\n")
	}
	if err := a.Err(); err != nil {
		out.WriteString(code(err))
	}
	return strings.TrimSpace(out.String())
}

func TestBothFormatsAreRead(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("all work and no play\n", 5000)
	zipped := packZip(t, item{"d/", "", false}, item{"d/one.txt", "1", false}, item{"two.txt", long, false}, item{"drei ü", "3", true}, item{"empty", "", false})
	want := "d/one.txt=1\ntwo.txt=" + long + "\ndrei ü=3\nempty="
	if got := walk(zipped, archive.Limits{}); got != want {
		t.Errorf("the zip holds %.200q, want %.200q", got, want)
	}
	// A program may stand before a zip, and a comment behind it.
	if got := walk(append([]byte("#!/bin/sh\n"), zipped...), archive.Limits{}); got != want {
		t.Errorf("the zip behind a program holds %.200q, want %.200q", got, want)
	}
	commented := append(bytes.Clone(zipped[:len(zipped)-2]), 5, 0, 'h', 'e', 'l', 'l', 'o')
	if got := walk(commented, archive.Limits{}); got != want {
		t.Errorf("the zip with a comment holds %.200q, want %.200q", got, want)
	}
	tarred := packTar(t, tar.Header{Name: "./d/", Typeflag: tar.TypeDir}, tar.Header{Name: "./d/one.txt", Linkname: "1"},
		tar.Header{Name: strings.Repeat("n", 300), Linkname: long})
	want = "d/one.txt=1\n" + strings.Repeat("n", 300) + "=" + strings.TrimSpace(long)
	if got := walk(tarred, archive.Limits{}); got != want {
		t.Errorf("the tar.gz holds %.200q, want %.200q", got, want)
	}
}

// patch returns b with the bytes of every directory and local header changed.
func patch(b []byte, change func(local, header []byte)) []byte {
	b = bytes.Clone(b)
	for i := 0; i+4 < len(b); i++ {
		switch string(b[i : i+4]) {
		case "PK\x03\x04":
			change(b[i:], nil)
		case "PK\x01\x02":
			change(nil, b[i:])
		}
	}
	return b
}

func TestHostileArchivesAreToldByTheirCode(t *testing.T) {
	t.Parallel()
	flat := strings.Repeat("\x00", 3<<20)
	plain := packZip(t, item{"a", "hello", true}, item{"b", "world and world", false})
	header := func(at int, value ...byte) []byte {
		return patch(plain, func(_, h []byte) {
			if h != nil {
				copy(h[at:], value)
			}
		})
	}
	wide := patch(packZip(t, item{"a", strings.Repeat("x", 300), true}, item{"b", "y", true}), func(_, h []byte) {
		if h != nil && h[46] == 'b' {
			h[20], h[24] = 60, 60
		}
	})
	for name, c := range map[string]struct {
		archive []byte
		limits  archive.Limits
		want    string
	}{
		"no archive":        {[]byte("hello, this is no archive at all"), archive.Limits{}, "archive.not_an_archive"},
		"empty":             {nil, archive.Limits{}, "archive.truncated the file is empty"},
		"zip cut":           {plain[:len(plain)-30], archive.Limits{}, "a=hello\nb=world and world\narchive.truncated its directory, which stands at the end, is missing; what closes before byte 203 was read"},
		"zip of one byte":   {plain[:1], archive.Limits{}, "archive.not_an_archive"},
		"encrypted":         {header(8, 1), archive.Limits{}, "a=!archive.encrypted an entry needs a password\nb=!archive.encrypted an entry needs a password"},
		"method":            {header(10, 93), archive.Limits{}, "a=!archive.unsupported an entry is packed by the method zstd\nb=!archive.unsupported an entry is packed by the method zstd"},
		"checksum":          {header(16, 0, 0, 0, 0), archive.Limits{}, "a=!archive.corrupt the checksum of an entry is wrong\nb=!archive.corrupt the checksum of an entry is wrong"},
		"unpacks to more":   {header(24, 4), archive.Limits{}, "a=!archive.corrupt an entry that is not packed has two sizes\nb=!archive.corrupt an entry unpacks to more than it says"},
		"unpacks to less":   {header(24, 200), archive.Limits{}, "a=!archive.corrupt an entry that is not packed has two sizes\nb=!archive.truncated an entry is shorter than it says"},
		"overlap":           {header(20, 255), archive.Limits{}, "archive.corrupt its entries overlap"},
		"behind":            {wide, archive.Limits{}, "a=" + strings.Repeat("x", 300) + "\nb=!archive.corrupt an entry lies outside of it"},
		"outside":           {header(42, 200), archive.Limits{}, "a=!archive.corrupt an entry lies outside of it\nb=!archive.corrupt an entry lies outside of it"},
		"elsewhere":         {header(42, 1), archive.Limits{}, "a=!archive.corrupt an entry is not where the directory says\nb=!archive.corrupt an entry is not where the directory says"},
		"another name":      {header(46, 'x'), archive.Limits{}, "x=!archive.corrupt an entry has another name than in the directory\nx=!archive.duplicate_name"},
		"directory":         {header(0, 'X'), archive.Limits{}, "a=hello\nb=world and world\narchive.corrupt its directory has fewer entries than its end says; what closes before byte 117 was read"},
		"no Zip64 sizes":    {header(24, 255, 255, 255, 255), archive.Limits{}, "a=hello\nb=world and world\narchive.corrupt an entry lacks its Zip64 sizes; what closes before byte 117 was read"},
		"7z":                {[]byte("7z\xbc\xaf\x27\x1c, and more"), archive.Limits{}, "archive.unsupported it is a 7z"},
		"traversal":         {packZip(t, item{"../../etc/passwd", "x", true}, item{"/etc/passwd", "x", true}, item{`..\x`, "x", true}, item{"C:x", "x", true}, item{"ok", "1", true}), archive.Limits{}, "../../etc/passwd=!archive.unsafe_name\n/etc/passwd=!archive.unsafe_name\n../x=!archive.unsafe_name\nC:x=!archive.unsafe_name\nok=1"},
		"twice":             {packZip(t, item{"a", "1", true}, item{"a", "2", true}), archive.Limits{}, "a=1\na=!archive.duplicate_name"},
		"nested":            {packZip(t, item{"in.ZIP", "PK", true}, item{"in.tar.gz", "x", true}), archive.Limits{}, "in.ZIP=!archive.nested\nin.tar.gz=!archive.nested"},
		"bomb":              {packZip(t, item{"bomb", flat, false}), archive.Limits{}, "bomb=!archive.too_large an entry unpacks to far more than it takes"},
		"long name":         {packZip(t, item{strings.Repeat("n", 99), "x", true}), archive.Limits{NameBytes: 98}, strings.Repeat("n", 99) + "=!archive.too_large the name of an entry is too long"},
		"large entry":       {plain, archive.Limits{EntryBytes: 5}, "a=hello\nb=!archive.too_large an entry unpacks to too much"},
		"large in all":      {plain, archive.Limits{TotalBytes: 7}, "a=hello\nb=!archive.too_large it unpacks to too much"},
		"many entries":      {plain, archive.Limits{Entries: 1}, "archive.too_large it has too many entries"},
		"tar cut":           {packTar(t, tar.Header{Name: "a", Linkname: "hello"})[:40], archive.Limits{}, "a=!archive.truncated in the middle of an entry\narchive.truncated in the middle of an entry"},
		"tar's gzip cut":    {[]byte{0x1f, 0x8b}, archive.Limits{}, "archive.truncated in the middle of an entry"},
		"no tar":            {[]byte{0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0, 1, 2, 3, 4, 5}, archive.Limits{}, "archive.corrupt its packed bytes are not valid"},
		"tar link":          {packTar(t, tar.Header{Name: "l", Typeflag: tar.TypeSymlink, Linkname: "/etc"}, tar.Header{Name: "a", Linkname: "1"}), archive.Limits{}, "l=!archive.unsupported\na=1"},
		"tar traversal":     {packTar(t, tar.Header{Name: "../x", Linkname: "1"}), archive.Limits{}, "../x=!archive.unsafe_name"},
		"tar bomb":          {packTar(t, tar.Header{Name: "bomb", Linkname: flat}), archive.Limits{}, "bomb=!archive.too_large it unpacks to far more than it takes\narchive.too_large it unpacks to far more than it takes"},
		"tar large in all":  {packTar(t, tar.Header{Name: "a", Linkname: "hello"}), archive.Limits{TotalBytes: 100}, "archive.too_large it unpacks to too much"},
		"tar's many":        {packTar(t, tar.Header{Name: "a"}, tar.Header{Name: "b"}), archive.Limits{Entries: 1}, "a=\narchive.too_large it has too many entries"},
		"tar's many within": {packTar(t, tar.Header{Name: "a"}, tar.Header{Name: "b"}), archive.Limits{Entries: 2}, "a=\nb="},
	} {
		if got := walk(c.archive, c.limits); got != c.want {
			t.Errorf("%s: got %.300q, want %q", name, got, c.want)
		}
	}
}

// Of a tar.gz that was cut anywhere, no walk ends as if it were whole.
func TestEveryCutIsNoticed(t *testing.T) {
	t.Parallel()
	for kind, whole := range map[string][]byte{
		"zip":    packZip(t, item{"a", "hello", true}, item{"b", "world and world", false}),
		"tar.gz": packTar(t, tar.Header{Name: "a", Linkname: "hello"}, tar.Header{Name: "b", Linkname: "world"}),
	} {
		for n := range whole {
			if got := walk(whole[:n], archive.Limits{}); !strings.Contains(got, "archive.") {
				t.Fatalf("%s cut at %d of %d: got %q, want an error", kind, n, len(whole), got)
			}
		}
	}
}

// An error of the file itself is told as such.
type brokenFS struct{ fs.FS }

type brokenFile struct{ fs.File }

func (b brokenFS) Open(name string) (fs.File, error) {
	f, err := b.FS.Open(name)
	return brokenFile{f}, err
}
func (brokenFile) Read([]byte) (int, error)       { return 0, errors.New("the disk is gone") }
func (brokenFile) Seek(int64, int) (int64, error) { return 0, nil }

func TestTheFileCannotBeRead(t *testing.T) {
	t.Parallel()
	files := fstest.MapFS{"a": {Data: packZip(t, item{"a", "1", true})}, "d/x": {}}
	for name, open := range map[string]func() (*archive.Reader, error){
		"archive.read_failed": func() (*archive.Reader, error) { return archive.Open(brokenFS{files}, "a", archive.Limits{}) },
		"archive.unsupported": func() (*archive.Reader, error) { return archive.Open(files, "d", archive.Limits{}) },
	} {
		if _, err := open(); !errors.Is(err, &abi.Error{Code: abi.Code(name)}) {
			t.Errorf("got %v, want %s", err, name)
		}
	}
	if _, err := archive.Open(files, "none", archive.Limits{}); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("got %v, want fs.ErrNotExist in it", err)
	}
}

// zeros is what sparse knows by its place.
var zeros = make([]byte, 64<<20)

// sparse writes zeros as holes, which take no room on the disk.
type sparse struct {
	f *os.File
	n int64
}

func (s *sparse) Write(b []byte) (int, error) {
	n := s.n
	s.n += int64(len(b))
	if len(b) == len(zeros) && &b[0] == &zeros[0] {
		return len(b), nil
	}
	_, err := s.f.WriteAt(b, n)
	return len(b), err
}

// A zip of 50 GB has places and sizes beyond 32 bits, and more entries than 16 bits count
// (Zip64).
func TestFiftyGigabytes(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("one goroutine, and 50 GB")
	}
	const videos, notes, blocks = 10, 70_000, 80 // 5 GiB each
	f, err := os.Create(filepath.Join(t.TempDir(), "export.zip"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z := zip.NewWriter(&sparse{f: f})
	for i := range videos {
		size := uint64(blocks * len(zeros))
		w, err := z.CreateRaw(&zip.FileHeader{Name: "video-" + strconv.Itoa(i), UncompressedSize64: size, CompressedSize64: size})
		if err == nil {
			err = z.Flush()
		}
		for range blocks {
			if err == nil {
				_, err = w.Write(zeros)
			}
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	for i := range notes {
		w, err := z.Create("note-" + strconv.Itoa(i))
		if err == nil {
			_, err = io.WriteString(w, strconv.Itoa(i))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	a, err := archive.Open(os.DirFS(filepath.Dir(f.Name())), "export.zip", archive.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	var met, read int
	for a.Next() {
		met++
		if e := a.Entry(); e.Problem != nil {
			t.Fatalf("%s: %v", e.Name, e.Problem)
		} else if n, ok := strings.CutPrefix(e.Name, "note-"); ok {
			if got, err := io.ReadAll(a); string(got) != n {
				t.Fatalf("%s holds %q, %v, want %q", e.Name, got, err, n)
			}
			read++
		}
	}
	if err := a.Err(); err != nil || met != videos+notes || read != notes {
		t.Errorf("%d entries, %d notes, %v, want %d, %d and no error", met, read, err, videos+notes, notes)
	}
	if _, size := a.Progress(); size < 50e9 {
		t.Errorf("the archive has %d bytes, want 50 GB", size)
	}
}

// The oracle is archive/zip: entries that both read are the same.
func FuzzOpen(f *testing.F) {
	f.Add(packZip(f, item{"a", "hello", true}, item{"b", "world and world", false}))
	f.Add(packTar(f, tar.Header{Name: "a", Linkname: "hello"}))
	f.Add([]byte("PK\x05\x06"))
	whole := packZip(f, item{"a", "hello", true}, item{"b", "world and world", false}, item{"c", "", false})
	f.Add(whole[:len(whole)-40])
	f.Add(patch(whole, func(_, header []byte) {
		if header != nil {
			header[0] = 'X'
		}
	}))
	end := make([]byte, 22)
	binary.LittleEndian.PutUint32(end, 0x06054b50)
	f.Add(end)
	f.Fuzz(func(t *testing.T, b []byte) {
		limits := archive.Limits{Entries: 1000, EntryBytes: 1 << 20, TotalBytes: 1 << 20}
		a, err := open(b, limits)
		var typed *abi.Error
		if err != nil {
			if !errors.As(err, &typed) {
				t.Fatalf("got the error %v, want one with a code", err)
			}
			return
		}
		defer a.Close()
		theirs := make(map[string]string)
		if z, err := zip.NewReader(bytes.NewReader(b), int64(len(b))); err == nil {
			for _, file := range z.File {
				if _, twice := theirs[file.Name]; twice || file.UncompressedSize64 > 1<<20 {
					continue
				}
				r, err := file.Open()
				if err != nil {
					continue
				}
				if content, err := io.ReadAll(r); err == nil {
					theirs[file.Name] = string(content)
				}
			}
		}
		total := 0
		for a.Next() {
			e := a.Entry()
			content, err := io.ReadAll(a)
			if total += len(content); total > 1<<20 {
				t.Fatalf("%d bytes were unpacked, want at most %d", total, 1<<20)
			}
			if err != nil {
				if !errors.As(err, &typed) {
					t.Fatalf("got the error %v, want one with a code", err)
				}
				continue
			}
			if !fs.ValidPath(e.Name) {
				t.Fatalf("the name %q was let through", e.Name)
			}
			if want, both := theirs[e.Name]; both && want != string(content) {
				t.Fatalf("%q holds %q, want %q", e.Name, content, want)
			}
		}
		if err := a.Err(); err != nil && !errors.As(err, &typed) {
			t.Fatalf("got the error %v, want one with a code", err)
		}
	})
}
