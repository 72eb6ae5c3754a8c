package zstd_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"
	"testing/iotest"
	"time"

	"github.com/pdpp-host/pdpp-host/sdk/zstd"
)

// random is a generator whose numbers are the same everywhere.
type random uint64

func (r *random) next() uint64 {
	*r ^= *r << 13
	*r ^= *r >> 7
	*r ^= *r << 17
	return uint64(*r)
}

// sample makes n bytes of a kind: lines of words as logs have them, noise, one letter, and
// copies from far back.
func sample(kind string, n int) []byte {
	r := random(88172645463325252)
	b := make([]byte, 0, n+100)
	for len(b) < n {
		switch kind {
		case "log":
			b = append(b, `{"timestamp":"2026-05-01T00:`...)
			b = strconv.AppendUint(b, r.next()%60, 10)
			b = append(b, `Z","type":"response_item","payload":{"text":"`...)
			for range r.next() % 20 {
				b = strconv.AppendUint(append(b, "word"...), r.next()%500, 36)
				b = append(b, ' ')
			}
			b = append(b, "\"}}\n"...)
		case "noise":
			b = append(b, byte(r.next()>>32))
		case "letters":
			b = append(b, "aaaaaaabbbcd"[r.next()%12])
		case "one":
			b = append(b, 'x')
		case "far":
			if len(b) > 30_000 {
				from := int(r.next() % uint64(len(b)-9000))
				b = append(b, b[from:from+int(r.next()%9000)]...)
			}
			for range 60 {
				b = append(b, byte(r.next()>>40))
			}
		}
	}
	return b[:n]
}

func unpack(packed []byte) ([]byte, error) {
	return io.ReadAll(zstd.NewReader(bytes.NewReader(packed)))
}

// sampleOf reads the sample that a file of testdata is named after: KIND-SIZE-OPTIONS.zst.
func sampleOf(t testing.TB, name string) []byte {
	parts := strings.SplitN(strings.TrimSuffix(name, zstd.Suffix), "-", 3)
	n, err := strconv.Atoi(parts[1])
	if err != nil {
		t.Fatal(err)
	}
	return sample(parts[0], n)
}

func files(t testing.TB) map[string][]byte {
	list, err := os.ReadDir("testdata")
	if err != nil {
		t.Fatal(err)
	}
	all := map[string][]byte{}
	for _, e := range list {
		if strings.HasSuffix(e.Name(), zstd.Suffix) {
			b, err := os.ReadFile(filepath.Join("testdata", e.Name()))
			if err != nil {
				t.Fatal(err)
			}
			all[e.Name()] = b
		}
	}
	return all
}

// Debian's zstd 1.5 wrote these files, by several levels, sizes and windows; testdata/README.md says how.
func TestFilesOfAnEncoder(t *testing.T) {
	t.Parallel()
	all := files(t)
	if len(all) < 10 {
		t.Fatalf("got %d files, want more than 10", len(all))
	}
	for name, packed := range all {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			want := sampleOf(t, name)
			got, err := unpack(packed)
			if err != nil || !bytes.Equal(got, want) {
				t.Fatalf("got %d bytes and %v, want %d", len(got), err, len(want))
			}
			got, err = io.ReadAll(iotest.OneByteReader(zstd.NewReader(iotest.OneByteReader(bytes.NewReader(packed)))))
			if err != nil || !bytes.Equal(got, want) {
				t.Errorf("by the byte: got %d bytes and %v, want %d", len(got), err, len(want))
			}
		})
	}
}

// The program itself, where it is installed, over more levels and sizes than files would have.
func TestAgainstTheProgram(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("runs a program many times")
	}
	program, err := exec.LookPath("zstd")
	if err != nil {
		t.Skip("zstd is not installed")
	}
	var r zstd.Reader
	for kind, sizes := range map[string][]int{"log": {255, 700_000}, "noise": {256, 131_073}, "letters": {7, 65_535}, "far": {400_000}} {
		for _, n := range sizes {
			text := sample(kind, n)
			for _, options := range []string{"-1", "-19", "--fast=5", "-3 --no-check", "-12 --zstd=wlog=17,strat=6"} { //nolint:misspell // the name of an option
				packed := run(t, program, options, text)
				r.Reset(bytes.NewReader(packed))
				got, err := io.ReadAll(&r)
				if err != nil || !bytes.Equal(got, text) {
					t.Fatalf("%s of %d by %s: got %d bytes and %v, want %d", kind, n, options, len(got), err, n)
				}
			}
		}
	}
}

func run(t *testing.T, program, options string, text []byte) []byte {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, program, append(strings.Fields(options), "-c", "-q", "-T1")...)
	cmd.Stdin = bytes.NewReader(text)
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// Several frames, and frames that are not for a decoder, are one content.
func TestFrames(t *testing.T) {
	t.Parallel()
	packed := files(t)["log-3000-3.zst"]
	text := sample("log", 3000)
	skip := append([]byte{0x5a, 0x2a, 0x4d, 0x18, 5, 0, 0, 0}, "hello"...)
	for _, c := range []struct {
		input []byte
		want  []byte
	}{
		{bytes.Join([][]byte{packed, packed}, nil), bytes.Repeat(text, 2)},
		{bytes.Join([][]byte{skip, packed, skip, skip, packed, skip}, nil), bytes.Repeat(text, 2)},
		{skip, nil},
	} {
		if got, err := unpack(c.input); err != nil || !bytes.Equal(got, c.want) {
			t.Errorf("got %d bytes and %v, want %d", len(got), err, len(c.want))
		}
	}
}

// AC-06: an input that is cut at any place says so, and gives what is in front of it.
func TestEveryCut(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"log-3000-3.zst", "letters-400-3nocheck.zst", "log-300000-1.zst"} {
		packed, want := files(t)[name], sampleOf(t, name)
		step := max(1, len(packed)/3000)
		for n := 0; n < len(packed); n += step {
			got, err := unpack(packed[:n])
			if !errors.Is(err, zstd.ErrCut) || !bytes.HasPrefix(want, got) {
				t.Fatalf("%s cut at %d: got %d bytes and %v, want a part and %v", name, n, len(got), err, zstd.ErrCut)
			}
		}
	}
}

// AC-06: a changed byte is noticed, and nothing more than the content is given.
func TestEveryChangedByte(t *testing.T) {
	t.Parallel()
	packed, want := files(t)["log-3000-3.zst"], sample("log", 3000)
	for i := range packed {
		for _, flip := range []byte{1, 0x80, 0xff} {
			b := bytes.Clone(packed)
			b[i] ^= flip
			got, err := unpack(b)
			// A few bits mean nothing to a decoder; the content is then the same.
			if err == nil && !bytes.Equal(got, want) {
				t.Fatalf("byte %d changed by %#x: other content without an error", i, flip)
			}
		}
	}
}

func TestRefusals(t *testing.T) {
	t.Parallel()
	packed := files(t)["log-3000-3.zst"]
	sum := bytes.Clone(packed)
	sum[len(sum)-1] ^= 1
	for what, c := range map[string]struct {
		input []byte
		want  error
		text  string
	}{
		"nothing":      {nil, zstd.ErrCut, "within a frame"},
		"another file": {[]byte("PK\x03\x04 and so on"), zstd.ErrDamaged, "no frame begins"},
		"behind":       {append(bytes.Clone(packed), "rest"...), zstd.ErrDamaged, "at byte " + strconv.Itoa(len(packed))},
		"checksum":     {sum, zstd.ErrChecksum, "checksum"},
		"dictionary":   {[]byte{0x28, 0xb5, 0x2f, 0xfd, 0x21, 9, 0}, zstd.ErrUnsupported, "dictionary"},
		"reserved":     {[]byte{0x28, 0xb5, 0x2f, 0xfd, 0x28, 0}, zstd.ErrDamaged, "means nothing"},
		"block kind":   {[]byte{0x28, 0xb5, 0x2f, 0xfd, 0x20, 9, 7, 0, 0}, zstd.ErrDamaged, "of a kind"},
		"block size":   {[]byte{0x28, 0xb5, 0x2f, 0xfd, 0x20, 1, 0x11, 0, 0, 'a', 'b'}, zstd.ErrDamaged, "larger"},
		"too little":   {[]byte{0x28, 0xb5, 0x2f, 0xfd, 0x20, 2, 9, 0, 0, 'a'}, zstd.ErrDamaged, "less than it declares"},
	} {
		_, err := unpack(c.input)
		var e *zstd.Error
		if !errors.Is(err, c.want) || !errors.As(err, &e) || !e.Damage() || !strings.Contains(err.Error(), c.text) {
			t.Errorf("%s: got %v, want %v with %q", what, err, c.want, c.text)
		}
	}
	broken := errors.New("broken")
	_, err := io.ReadAll(zstd.NewReader(io.MultiReader(bytes.NewReader(packed[:50]), iotest.ErrReader(broken))))
	var e *zstd.Error
	if !errors.Is(err, broken) || errors.As(err, &e) && e.Damage() {
		t.Errorf("got %v, want %v, which is no damage", err, broken)
	}
}

// A window that is larger than allowed is no reason to refuse what does not need it.
func TestWindow(t *testing.T) {
	t.Parallel()
	packed, want := files(t)["far-600000-19long.zst"], sample("far", 600_000)
	for _, c := range []struct {
		window int64
		want   error
	}{{1 << 20, nil}, {600_000, nil}, {1000, zstd.ErrUnsupported}} {
		r := zstd.Reader{Window: c.window}
		r.Reset(bytes.NewReader(packed))
		got, err := io.ReadAll(&r)
		if !errors.Is(err, c.want) || !bytes.HasPrefix(want, got) || err == nil && len(got) != len(want) {
			t.Errorf("%d bytes of memory: got %d bytes and %v, want %v", c.window, len(got), err, c.want)
		}
	}
}

func TestFS(t *testing.T) {
	t.Parallel()
	packed, text := files(t)["log-300000-1.zst"], sample("log", 300_000)
	base := fstest.MapFS{"a.zst": {Data: packed, ModTime: time.Unix(5, 0)}, "b": {Data: []byte("as it is")}, "cut.zst": {Data: packed[:len(packed)-20]}}
	fsys := &zstd.FS{Base: base}
	info, err := fs.Stat(fsys, "a.zst")
	if err != nil || info.Size() != int64(len(text)) || !info.ModTime().Equal(time.Unix(5, 0)) || fsys.Fault() != nil {
		t.Fatalf("got %v, %v and %v, want a size of %d", info, err, fsys.Fault(), len(text))
	}
	file, err := fsys.Open("a.zst")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	if err := iotest.TestReader(struct{ io.Reader }{file}, text); err != nil {
		t.Error(err)
	}
	seeker := file.(io.ReadSeeker)
	for _, at := range []int{0, 299_000, 5, 150_000, 300_000, 400_000, 0} {
		if n, err := seeker.Seek(int64(at), io.SeekStart); n != int64(at) || err != nil {
			t.Fatalf("seek to %d: got %d and %v", at, n, err)
		}
		rest, err := io.ReadAll(seeker)
		if err != nil || !bytes.Equal(rest, text[min(at, len(text)):]) {
			t.Errorf("from %d: got %d bytes and %v", at, len(rest), err)
		}
	}
	if b, err := fs.ReadFile(fsys, "b"); string(b) != "as it is" || err != nil {
		t.Errorf("got %q and %v, want the file as it is", b, err)
	}
	b, err := fs.ReadFile(fsys, "cut.zst")
	if err != nil || len(b) == 0 || !bytes.HasPrefix(text, b) || fsys.Fault() == nil || !errors.Is(fsys.Fault().Kind, zstd.ErrCut) {
		t.Errorf("a cut file: got %d bytes, %v and the fault %v, want a part and %v", len(b), err, fsys.Fault(), zstd.ErrCut)
	}
	if _, err := fs.Stat(fsys, "none.zst"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("got %v, want %v", err, fs.ErrNotExist)
	}
	if info, err := fs.Stat(fsys, "b"); err != nil || info.Size() != 8 {
		t.Errorf("got %v and %v, want a size of 8", info, err)
	}
}

func BenchmarkReader(b *testing.B) {
	packed := files(b)["log-300000-1.zst"]
	b.SetBytes(300_000)
	var r zstd.Reader
	for b.Loop() {
		r.Reset(bytes.NewReader(packed))
		if n, err := io.Copy(io.Discard, &r); n != 300_000 || err != nil {
			b.Fatal(n, err)
		}
	}
}

// FuzzReader holds that no input takes more memory or time than its content justifies, and that
// every end but one is an Error.
func FuzzReader(f *testing.F) {
	for _, packed := range files(f) {
		if len(packed) < 20_000 {
			f.Add(packed)
		}
	}
	f.Add([]byte{0x28, 0xb5, 0x2f, 0xfd, 0x20, 9, 7, 0, 0})
	f.Fuzz(func(t *testing.T, packed []byte) {
		r := zstd.Reader{Window: 1 << 16}
		r.Reset(bytes.NewReader(packed))
		n, err := io.Copy(io.Discard, io.LimitReader(&r, 8<<20))
		var e *zstd.Error
		if err != nil && (!errors.As(err, &e) || !e.Damage() || e.Offset < 0 || e.Offset > int64(len(packed))) {
			t.Fatalf("got %v after %d bytes, want an Error with a place", err, n)
		}
	})
}
