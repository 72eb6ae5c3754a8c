package archive_test

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"io/fs"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/pdpp-host/pdpp-host/sdk/archive"
)

// gzipped packs each text as one member.
func gzipped(t testing.TB, texts ...string) [][]byte {
	t.Helper()
	var members [][]byte
	for _, text := range texts {
		var b bytes.Buffer
		w := gzip.NewWriter(&b)
		if _, err := io.WriteString(w, text); err != nil || w.Close() != nil {
			t.Fatal(err)
		}
		members = append(members, b.Bytes())
	}
	return members
}

// bareTar is a tar of files, name by content, with as many zeros behind it as fill its last record.
func bareTar(t testing.TB, record int, files ...item) []byte {
	t.Helper()
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	for _, f := range files {
		err := w.WriteHeader(&tar.Header{Name: f.name, Size: int64(len(f.content)), Mode: 0o600})
		if err == nil {
			_, err = io.WriteString(w, f.content)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	for record > 0 && b.Len()%record != 0 {
		b.WriteByte(0)
	}
	return b.Bytes()
}

// AC-06: what stands behind zeros in a tar is read, as GNU tar does with -i. That something may be lost is
// told: a tar behind another one looks like one whose entries became zeros.
func TestTarsBehindOneAnother(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("hello ", 500)
	for name, record := range map[string]int{"two blocks": 0, "records": 10240} {
		first, second := bareTar(t, record, item{name: "a", content: long}), bareTar(t, record, item{name: "b", content: "world"})
		const want = "a=%\nb=world"
		both := append(bytes.Clone(first), second...)
		packed := bytes.Join(gzipped(t, string(first), string(second)), nil)
		for how, data := range map[string][]byte{"bare": both, "packed together": gzipped(t, string(both))[0], "packed each": packed, "three": append(bytes.Clone(both), first...)} {
			got := strings.ReplaceAll(walk(data, archive.Limits{}), long, "%")
			got, told, _ := strings.Cut(got, "\narchive.corrupt")
			if !strings.Contains(told, "a header") {
				t.Errorf("%s, %s: got %q, want it told", name, how, told)
			}
			if want := want + map[bool]string{true: "\na=!archive.duplicate_name"}[how == "three"]; got != want {
				t.Errorf("%s, %s: got %.300q, want %q", name, how, got, want)
			}
		}
		if got := walk(both[:len(first)+700], archive.Limits{}); !strings.Contains(got, "a=") || !strings.Contains(got, "\narchive.") {
			t.Errorf("%s: the second one cut: got %.300q, want a, and that it is cut", name, got)
		}
	}
	mixed := bytes.Join([][]byte{bareTar(t, 0, item{name: "a", content: "1"}), bareTar(t, 10240, item{name: "b", content: "2"}), bareTar(t, 10240, item{name: "c", content: "3"})}, nil)
	if got := walk(mixed, archive.Limits{}); !strings.HasPrefix(got, "a=1\nb=2\nc=3\narchive.corrupt") {
		t.Errorf("of several programs: got %.300q, want a, b, c and archive.corrupt", got)
	}
	headless := append(bareTar(t, 10240, item{name: "a", content: "1"}, item{name: "b", content: long}), bareTar(t, 10240, item{name: "c", content: "3"})...)
	clear(headless[1024:2048]) // the rest of its content stands in front of the next tar
	if got := walk(headless, archive.Limits{}); !strings.Contains(got, "c=3") || !strings.Contains(got, "archive.corrupt") {
		t.Errorf("without the last header of the first one: got %.300q, want a, c and archive.corrupt", got)
	}
	three := bareTar(t, 10240, item{name: "a", content: "1"}, item{name: "b", content: long}, item{name: "c", content: "3"})
	for name, zero := range map[string][2]int{"one block": {1024, 1536}, "an entry": {1024, 4608}, "more than its header": {1024, 2048}} {
		b := bytes.Clone(three)
		clear(b[zero[0]:zero[1]])
		if got := walk(b, archive.Limits{}); !strings.Contains(got, "a=1\n") || !strings.Contains(got, "c=3") || !strings.Contains(got, "archive.corrupt") {
			t.Errorf("zeros for %s: got %.300q, want a, c and archive.corrupt", name, got)
		}
	}
	all := bytes.Clone(three) // the last header, and the one before: its content stands behind what looks like the end
	clear(all[1024:5120])
	if got := walk(all, archive.Limits{}); !strings.Contains(got, "a=1\n") || !strings.Contains(got, "archive.corrupt") {
		t.Errorf("zeros for all headers: got %.300q, want a and archive.corrupt", got)
	}
	// A block of zeros in front of a header hides no entry.
	lone := append(append(bytes.Clone(three[:1024]), make([]byte, 512)...), three[1024:]...)
	if got := walk(lone, archive.Limits{}); !strings.Contains(got, "b=hello") || !strings.Contains(got, "c=3") || !strings.Contains(got, "archive.corrupt") {
		t.Errorf("with a block of zeros more: got %.300q, want a, b, c and archive.corrupt", got)
	}
}

// AC-06: entries that became zeros are told, wherever and however many they are.
func TestEntriesOfZerosAreTold(t *testing.T) {
	t.Parallel()
	files := make([]item, 40)
	for i := range files {
		files[i] = item{name: "f" + strconv.Itoa(i), content: strings.Repeat("x", 300)}
	}
	whole := bareTar(t, 10240, files...)
	for _, hole := range [][2]int{{2048, 3072}, {16384, 20480}, {12288, 20480}, {10240, 20480}, {0, 1024}, {38 * 1024, 39 * 1024}} {
		b := bytes.Clone(whole)
		clear(b[hole[0]:hole[1]])
		if got := walk(b, archive.Limits{}); !strings.Contains(got, "archive.") || hole[0] > 0 && strings.Count(got, "=xxx") != len(files)-(hole[1]-hole[0])/1024 {
			t.Errorf("zeros from %d to %d: got %d entries and %.100q, want all others, and it told", hole[0], hole[1], strings.Count(got, "=xxx"), got[max(0, len(got)-100):])
		}
	}
}

// AC-06: what unpacks of a damaged gzip is read, however little it is.
func TestAShortDamagedGzip(t *testing.T) {
	t.Parallel()
	read := func(b []byte) string {
		a, err := archive.Open(fstest.MapFS{"x.json.gz": {Data: b}}, "x.json.gz", archive.Limits{})
		if err != nil {
			return err.Error()
		}
		defer a.Close()
		var all []byte
		for a.Next() {
			content, _ := io.ReadAll(a)
			all = append(all, content...)
		}
		if a.Err() == nil {
			t.Error("got no error, want the damage told")
		}
		return strings.ReplaceAll(string(all), "\x00", "")
	}
	m := gzipped(t, "{\"a\":1}\n{\"a\":2}\n", "{\"a\":3}\n")
	m[0][len(m[0])-6] ^= 1 // its checksum
	if got, want := read(m[0]), "{\"a\":1}\n{\"a\":2}\n"; got != want {
		t.Errorf("one member: got %q, want %q", got, want)
	}
	if got, want := read(bytes.Join(m, nil)), "{\"a\":1}\n{\"a\":2}\n{\"a\":3}\n"; got != want {
		t.Errorf("two members: got %q, want %q", got, want)
	}
}

// AC-06: in a gzip of several members those behind a damaged one are read, and the damage is told.
func TestMembersBehindADamagedOne(t *testing.T) {
	t.Parallel()
	var lines []string
	for i := range 5 {
		lines = append(lines, "{\"part\": "+strconv.Itoa(i)+", \"text\": \""+strings.ReplaceAll(noise(i, 3000), `"`, "'")+"\"}\n")
	}
	read := func(b []byte) (string, error) {
		a, err := archive.Open(fstest.MapFS{"x.json.gz": {Data: b}}, "x.json.gz", archive.Limits{})
		if err != nil {
			return "", err
		}
		defer a.Close()
		var all []byte
		for a.Next() {
			content, failed := io.ReadAll(a)
			all, err = append(all, content...), errors.Join(err, failed)
		}
		return string(all), errors.Join(err, a.Err())
	}
	for name, damage := range map[string]func(m [][]byte){
		"its content":         func(m [][]byte) { copy(m[1][800:], "@@@@@@@@@@@@@@@@") },
		"its checksum":        func(m [][]byte) { m[1][len(m[1])-6] ^= 1 },
		"its header":          func(m [][]byte) { clear(m[1][:8]) },
		"its end":             func(m [][]byte) { m[1] = m[1][:len(m[1])/2] },
		"all of it":           func(m [][]byte) { clear(m[1]) },
		"another one as well": func(m [][]byte) { clear(m[1][:8]); copy(m[3][20:], "@@@@@@@@@@@@@@@@") },
		"the first":           func(m [][]byte) { copy(m[0][15:], "@@@@@@@@@@@@@@@@") },
	} {
		m := gzipped(t, lines...)
		damage(m)
		got, err := read(bytes.Join(m, nil))
		for i, line := range lines {
			lost := i == 1 && name != "the first" || i == 3 && name == "another one as well" || i == 0 && name == "the first"
			if !lost && !strings.Contains(got, line) {
				t.Errorf("%s: member %d is not there", name, i)
			}
		}
		if name != "the first" && name != "its checksum" && !strings.Contains(got, "\x00") {
			t.Errorf("%s: nothing stands between the members", name)
		}
		if err == nil {
			t.Errorf("%s: got no error, want that the file is damaged", name)
		}
	}
	whole := gzipped(t, lines...)
	if got, err := read(bytes.Join(whole, nil)); err != nil || got != strings.Join(lines, "") {
		t.Errorf("whole: got %d bytes, %v, want %d", len(got), err, len(strings.Join(lines, "")))
	}
	if got, err := read(append(bytes.Join(whole, nil), make([]byte, 700)...)); err != nil || got != strings.Join(lines, "") {
		t.Errorf("whole, and filled with zeros: got %d bytes, %v, want %d", len(got), err, len(strings.Join(lines, "")))
	}
	if _, err := read(append(bytes.Join(whole, nil), "more"...)); err == nil {
		t.Error("with text behind it: got no error")
	}
}

// AC-06: in a tar of several members, the entries in those behind a damaged one are read.
func TestATarInSeveralMembers(t *testing.T) {
	t.Parallel()
	var files []item
	for i := range 30 {
		files = append(files, item{name: "f" + strconv.Itoa(i), content: noise(i, 3000)})
	}
	all := string(bareTar(t, 10240, files...))
	var parts []string
	for at := 0; at < len(all); at += 10_007 { // as bgzip cuts it
		parts = append(parts, all[at:min(at+10_007, len(all))])
	}
	members := gzipped(t, parts...)
	copy(members[4][500:], "@@@@@@@@@@@@@@@@")
	got := walk(bytes.Join(members, nil), archive.Limits{})
	for i, f := range files {
		at := strings.Index(all, f.name+"\x00")
		lost := at < 5*10_007 && at+512+3000 > 4*10_007
		if there := strings.Contains(got, f.name+"="+f.content+"\n"); !there && !lost {
			t.Errorf("entry %d at byte %d is not there", i, at)
		}
	}
	if last := got[strings.LastIndexByte(got, '\n')+1:]; !strings.HasPrefix(last, "archive.corrupt") {
		t.Errorf("got %.200q at the end, want archive.corrupt", last)
	}
	// The damage may lie in no more than the end of the first of two tars.
	first, second := string(bareTar(t, 0, item{name: "a", content: "1"})), string(bareTar(t, 0, item{name: "b", content: "2"}))
	members = gzipped(t, first[:1024], first[1024:], second)
	members[1][len(members[1])-6] ^= 1
	if got := walk(bytes.Join(members, nil), archive.Limits{}); !strings.HasPrefix(got, "a=1\nb=2\narchive.corrupt") {
		t.Errorf("with a damaged end between two: got %.200q, want a, b and archive.corrupt", got)
	}
}

// counting counts the bytes that are read of a file.
type counting struct {
	fs.FS

	n *int64
}

type countedFile struct {
	io.ReadSeeker
	fs.File

	n *int64
}

func (c counting) Open(name string) (fs.File, error) {
	f, err := c.FS.Open(name)
	if err != nil {
		return nil, err
	}
	return countedFile{f.(io.ReadSeeker), f, c.n}, nil
}

func (c countedFile) Read(p []byte) (int, error) {
	n, err := c.File.Read(p)
	*c.n += int64(n)
	return n, err
}

// A file in which a member seems to begin everywhere costs a few times its size.
func TestManyBeginningsOfMembers(t *testing.T) {
	t.Parallel()
	const n, length = 20_000, 10 + 15*4000 // of a block that is not packed, behind which another one begins
	unit := []byte{0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0, 0, length & 0xff, length >> 8, ^length & 0xff, (^length >> 8) & 0xff}
	data := append(gzipped(t, "x")[0], bytes.Repeat(unit, n)...)
	data[12] ^= 0xff
	var read int64
	a, err := archive.Open(counting{fstest.MapFS{"a.gz": {Data: data}}, &read}, "a.gz", archive.Limits{})
	for err == nil && a.Next() {
		_, _ = io.ReadAll(a)
	}
	if most := int64(16 * len(data)); read > most+4<<20 {
		t.Errorf("read %d bytes of a file of %d, want at most %d", read, len(data), most)
	}
}

// AC-06: an archive in a damaged one gives no entries, although it stands there as it is.
func TestAMemberWithinADamagedOne(t *testing.T) {
	t.Parallel()
	inner := gzipped(t, string(bareTar(t, 0, item{name: "inner", content: "never"})))[0]
	var b bytes.Buffer
	w, err := gzip.NewWriterLevel(&b, gzip.NoCompression)
	if err == nil {
		_, err = w.Write(bareTar(t, 10240, item{name: "a", content: strings.Repeat("hello ", 100)}, item{name: "in.tar.gz", content: string(inner)}))
	}
	if err != nil || w.Close() != nil {
		t.Fatal(err)
	}
	data := b.Bytes()
	data[len(data)-6] ^= 1
	if got := walk(data, archive.Limits{}); strings.Contains(got, "inner") || !strings.Contains(got, "archive.corrupt") {
		t.Errorf("got %.300q, want archive.corrupt and no entry of the inner archive", got)
	}
}

// Any damage to a gzip of members costs no more than the members it is in.
func FuzzMembers(f *testing.F) {
	f.Add(uint16(1), uint16(500), []byte("@@@@"))
	f.Add(uint16(3), uint16(0), []byte("\x00\x00\x00"))
	f.Add(uint16(2), uint16(9), []byte("\x1f\x8b\x08\x00"))
	var texts []string
	for i := range 6 {
		texts = append(texts, "<"+strconv.Itoa(i)+noise(i, 700)+">")
	}
	f.Fuzz(func(t *testing.T, member, at uint16, with []byte) {
		members := gzipped(t, texts...)
		m := int(member) % len(members)
		before := bytes.Clone(members[m])
		copy(members[m][int(at)%len(members[m]):], with)
		a, err := archive.Open(fstest.MapFS{"x.gz": {Data: bytes.Join(members, nil)}}, "x.gz", archive.Limits{})
		if err != nil {
			if m > 0 {
				t.Fatalf("got %v, want that the members around are read", err)
			}
			return
		}
		defer a.Close()
		var got []byte
		for a.Next() {
			var failed error
			var content []byte
			content, failed = io.ReadAll(a)
			got, err = append(got, content...), errors.Join(err, failed)
		}
		err = errors.Join(err, a.Err())
		for i, text := range texts {
			if i != m && !bytes.Contains(got, []byte(text)) {
				t.Fatalf("member %d was damaged, and %d is not there", m, i)
			}
		}
		if same := bytes.Contains(got, []byte(strings.Join(texts, ""))); !bytes.Equal(before, members[m]) && !same && err == nil {
			t.Fatal("nothing tells of the damage")
		}
	})
}
