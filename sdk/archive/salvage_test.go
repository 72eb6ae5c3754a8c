package archive_test

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"io"
	"io/fs"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/sdk/archive"
)

// AC-06: whatever closes before a zip's cut is read, in each way that an entry's end is told: by
// the sizes in its header, or by a descriptor behind it, packed or not.
func TestWhatClosesBeforeACutIsRead(t *testing.T) {
	t.Parallel()
	text := strings.Repeat("all work and no play. ", 40)
	items := []item{{"d/packed", text, false}, {"d/stored", "PK\x07\x08 is no end " + text, true}, {"d/empty", "", false}, {"d/last", text, false}}
	described := packZip(t, items...)
	var ends []int // where each entry's descriptor ends
	for at := 0; len(ends) < len(items); {
		next := bytes.Index(described[at+4:], []byte("PK\x03\x04"))
		if directory := bytes.Index(described[at+4:], []byte("PK\x01\x02")); next < 0 || directory < next {
			next = directory
		}
		at += 4 + next
		ends = append(ends, at)
	}
	for cut := 40; cut < len(described); cut += 3 {
		got := walk(described[:cut], archive.Limits{})
		for i, it := range items {
			if whole := strings.Contains(got, it.name+"="+it.content+"\n"); whole != (cut >= ends[i]) {
				t.Fatalf("cut at %d of %d: %s was read whole: %v, want %v\n%.200q", cut, len(described), it.name, whole, cut >= ends[i], got)
			}
		}
		if !strings.Contains(got, "archive.truncated") {
			t.Fatalf("cut at %d: got %.200q, want archive.truncated", cut, got)
		}
	}
	// Without descriptors, the sizes stand in the headers.
	sized := patch(described, func(_, _ []byte) {})
	for i, at := 0, 0; i < len(items); i++ {
		data := at + 30 + len(items[i].name)
		length := ends[i] - data - 16
		copy(sized[at+6:], []byte{0, 0})
		copy(sized[at+14:at+18], sized[ends[i]-12:ends[i]-8])
		copy(sized[at+18:at+26], sized[ends[i]-8:ends[i]])
		if length < 0 {
			t.Fatal("the archive is not as it was thought")
		}
		at = ends[i]
	}
	if got := walk(sized[:ends[2]+50], archive.Limits{}); !strings.HasPrefix(got, "d/packed="+text+"\nd/stored=PK") || !strings.Contains(got, "d/last=!archive.truncated") {
		t.Errorf("with sizes in the headers: got %.300q, want three entries and a cut one", got)
	}
}

// AC-06: a damaged header costs its entry, and the directory says what the others are.
func TestADamagedEntryHidesNoNeighbour(t *testing.T) {
	t.Parallel()
	whole := packZip(t, item{"a", "hello", true}, item{"b", strings.Repeat("world ", 100), false}, item{"c", "again", true})
	second := bytes.Index(whole[4:], []byte("PK\x03\x04")) + 4
	for name, damage := range map[string]func(b []byte) []byte{
		"the content": func(b []byte) []byte { b[second+40] ^= 0xff; return b },
		"the header":  func(b []byte) []byte { b[second] = 'X'; return b },
		"the header of a zip without a directory": func(b []byte) []byte {
			b[second] = 'X'
			return b[:len(b)-30]
		},
	} {
		got := walk(damage(bytes.Clone(whole)), archive.Limits{})
		if !strings.Contains(got, "a=hello\n") || !strings.Contains(got, "c=again") || strings.Contains(got, "b=world") || !strings.Contains(got, "archive.") {
			t.Errorf("%s: got %.200q, want a and c, and an error", name, got)
		}
	}
}

// AC-07: a name that is no UTF-8 is not made of replacement characters.
func TestNamesOfAnotherEncoding(t *testing.T) {
	t.Parallel()
	b := packZip(t, item{"K?ln.txt", "1", true})
	if got := walk(bytes.ReplaceAll(b, []byte("K?ln"), []byte("K\xf6ln")), archive.Limits{}); got != "Köln.txt=1" {
		t.Errorf("got %q, want Köln.txt=1", got)
	}
}

func TestLooseFilesAreRead(t *testing.T) {
	t.Parallel()
	at := time.UnixMilli(1_700_000_000_123).UTC()
	folder := fstest.MapFS{"d/a": {Data: []byte("hello"), ModTime: at}, "b": {Data: []byte("world"), ModTime: at}}
	a := archive.OpenFiles(folder, []archive.Loose{{Path: "d/a", Size: 5, MTimeMS: at.UnixMilli()}, {Path: "gone", Size: 5}, {Path: "b", Size: 5}}, archive.Limits{})
	defer a.Close()
	got := ""
	for a.Next() {
		content, err := io.ReadAll(a)
		got += a.Entry().Name + "=" + string(content) + " "
		if missing := a.Entry().Name == "gone"; missing != (err != nil) {
			t.Errorf("%s: %v, want an error of the one that is gone", a.Entry().Name, err)
		}
	}
	done, size := a.Progress()
	if got != "d/a=hello gone= b=world " || a.Err() != nil || done != 15 || size != 15 {
		t.Errorf("got %q, %v, %d of %d, want both files, no error, 15 of 15", got, a.Err(), done, size)
	}
	a = archive.OpenFiles(folder, []archive.Loose{{Path: "b", Size: 5, MTimeMS: at.UnixMilli()}}, archive.Limits{})
	if !a.Next() || !a.Entry().Modified.Equal(at) || !fs.ValidPath(a.Entry().Name) {
		t.Errorf("the entry is %+v, want one of %v", a.Entry(), at)
	}
	a.Close()
}

// AC-06: of a tar whatever closes before a cut is read, and a damaged header costs its entry.
func TestADamagedTar(t *testing.T) {
	t.Parallel()
	packed := packTar(t, tar.Header{Name: "a", Linkname: strings.Repeat("hello ", 200)}, tar.Header{Name: "b", Linkname: "world"}, tar.Header{Name: "c", Linkname: "again"})
	z, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		t.Fatal(err)
	}
	whole, err := io.ReadAll(z)
	if err != nil {
		t.Fatal(err)
	}
	for cut := 512; cut < len(whole)-512; cut += 128 {
		got := walk(whole[:cut], archive.Limits{})
		for name, end := range map[string]int{"a=hello": 512 + 1200, "b=world": 2048 + 512 + 5, "c=again": 3072 + 512 + 5} {
			if there := strings.Contains(got, name); there != (cut >= end) {
				t.Errorf("cut at %d: %s is there: %v", cut, name, there)
			}
		}
		if ends := cut >= 3072+1024+512; strings.Contains(got, "archive.truncated") == ends {
			t.Errorf("cut at %d: got %.300q, want archive.truncated: %v", cut, got, !ends)
		}
	}
	for name, damage := range map[string]func(b []byte) []byte{
		"the second header":           func(b []byte) []byte { copy(b[2048:], "@@@@"); return b },
		"zeros for the second header": func(b []byte) []byte { clear(b[2048:2560]); return b },
		"zeros in the second header":  func(b []byte) []byte { clear(b[2048+100 : 2048+200]); return b },
	} {
		damaged := damage(bytes.Clone(whole))
		if got := walk(damaged, archive.Limits{}); !strings.Contains(got, "a=hello") || !strings.Contains(got, "c=again") || strings.Contains(got, "b=") || !strings.Contains(got, "archive.corrupt") {
			t.Errorf("%s: got %.200q, want a, c and archive.corrupt", name, got)
		}
		var again bytes.Buffer
		w := gzip.NewWriter(&again)
		if _, err := w.Write(damaged); err != nil || w.Close() != nil {
			t.Fatal(err)
		}
		if got := walk(again.Bytes(), archive.Limits{}); !strings.Contains(got, "c=again") || !strings.Contains(got, "archive.corrupt") {
			t.Errorf("%s, packed: got %.200q, want c and archive.corrupt", name, got)
		}
	}
}

// AC-06: zeros that an entry holds are no end of a tar that is cut behind it.
func TestZerosOfAnEntryAreNoEnd(t *testing.T) {
	t.Parallel()
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	for _, content := range []string{strings.Repeat("\x00", 1024), "text"} {
		if err := w.WriteHeader(&tar.Header{Name: "of " + strconv.Itoa(len(content)), Size: int64(len(content)), Mode: 0o600}); err != nil {
			t.Fatal(err)
		}
		if _, err := io.WriteString(w, content); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if got := walk(b.Bytes()[:1536], archive.Limits{}); !strings.Contains(got, "archive.truncated") {
		t.Errorf("cut behind zeros: got %q, want archive.truncated", got)
	}
	if got := walk(b.Bytes(), archive.Limits{}); strings.Contains(got, "archive.") {
		t.Errorf("whole: got %q, want no failure", got)
	}
}

// AC-06: of a gzip that is cut or damaged, whatever unpacks before is read.
func TestADamagedGzip(t *testing.T) {
	t.Parallel()
	var headers []tar.Header
	for i := range 40 {
		headers = append(headers, tar.Header{Name: string(rune('a'+i%26)) + strings.Repeat("x", i/26), Linkname: noise(i, 4000)})
	}
	packed := packTar(t, headers...)
	cut := walk(packed[:len(packed)/2], archive.Limits{})
	damaged := bytes.Clone(packed)
	copy(damaged[len(damaged)/2:], "@@@@@@@@")
	changed := walk(damaged, archive.Limits{})
	for name, got := range map[string]string{"cut": cut, "damaged": changed} {
		for i := range 15 {
			if want := headers[i].Name + "=" + noise(i, 4000) + "\n"; !strings.Contains(got, want) {
				t.Errorf("%s: %s is not there", name, headers[i].Name)
			}
		}
	}
	if !strings.Contains(cut, "archive.truncated") || !strings.Contains(changed, "archive.") {
		t.Errorf("got %.80q and %.80q at the ends, want that the archives are damaged", cut[max(0, len(cut)-80):], changed[max(0, len(changed)-80):])
	}
}

// noise is text that hardly packs.
func noise(seed, n int) string {
	r := rand.New(rand.NewPCG(uint64(seed), 6)) //nolint:gosec // a number of the test's
	b := make([]byte, n)
	for i := range b {
		b[i] = ' ' + byte(r.IntN(90))
	}
	return string(b)
}

// AC-14: a tar that is not packed, and a file that is packed alone, are read.
func TestOtherPackings(t *testing.T) {
	t.Parallel()
	tarred := packTar(t, tar.Header{Name: "a", Linkname: "hello"}, tar.Header{Name: "b", Linkname: "world"})
	z, err := gzip.NewReader(bytes.NewReader(tarred))
	if err != nil {
		t.Fatal(err)
	}
	bare, err := io.ReadAll(z)
	if err != nil {
		t.Fatal(err)
	}
	var alone bytes.Buffer
	w := gzip.NewWriter(&alone)
	if _, err := io.WriteString(w, `{"notes": []}`); err != nil || w.Close() != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		data []byte
		want string
	}{
		"x.tar":         {bare, "a=hello b=world "},
		"Notes.json.gz": {alone.Bytes(), `Notes.json={"notes": []} `},
		"x.tar.gz":      {alone.Bytes(), "archive.truncated"},
		"Cut.json.gz":   {alone.Bytes()[:alone.Len()-6], "archive.truncated"},
		"x.tgz":         {tarred, "a=hello b=world "},
	} {
		a, err := archive.Open(fstest.MapFS{name: {Data: c.data}}, name, archive.Limits{})
		if err != nil {
			if code := string(abi.CodeOf(err)); code != c.want {
				t.Errorf("%s: got %v, want %q", name, err, c.want)
			}
			continue
		}
		got := ""
		for a.Next() {
			content, _ := io.ReadAll(a)
			got += a.Entry().Name + "=" + string(content) + " "
		}
		if a.Err() != nil {
			got = string(abi.CodeOf(a.Err()))
		}
		if got != c.want {
			t.Errorf("%s: got %q, want %q", name, got, c.want)
		}
		a.Close()
	}
}
