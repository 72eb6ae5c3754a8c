package archive_test

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"fmt"
	"testing"

	"github.com/pdpp-host/pdpp-host/sdk/archive"
)

// sparseTar is a tgz of a few hundred bytes whose first entry says that it has 100 GiB, all of them
// a hole, and whose second one is a file.
func sparseTar(t *testing.T, old bool) []byte {
	t.Helper()
	const size = 100 << 30
	block := func(name string, flag byte, data string) []byte {
		b := make([]byte, 512)
		copy(b, name)
		copy(b[100:], "0000644\x00")
		copy(b[124:], fmt.Sprintf("%011o\x00", len(data)))
		copy(b[136:], "00000000000\x00")
		b[156] = flag
		copy(b[257:], "ustar\x0000")
		if flag == tar.TypeGNUSparse {
			copy(b[257:], "ustar  \x00")
			copy(b[386:], fmt.Sprintf("%011o\x00%011o\x00", 0, 0))
			b[483] = 0x80 // the size, in base 256
			copy(b[490:], []byte{size >> 32, 0, 0, 0, 0})
		}
		sum := 8 * int(' ')
		for i, c := range b {
			if i < 148 || i >= 156 {
				sum += int(c)
			}
		}
		copy(b[148:], fmt.Sprintf("%06o\x00 ", sum))
		b = append(b, data...)
		return append(b, make([]byte, (512-len(data)%512)%512)...)
	}
	record := func(k, v string) string {
		for n := len(k) + len(v); ; n++ {
			if r := fmt.Sprintf("%d %s=%s\n", n, k, v); len(r) == n {
				return r
			}
		}
	}
	var all []byte
	if old {
		all = append(all, block("hole.json", tar.TypeGNUSparse, "")...)
	} else {
		all = append(all, block("pax", tar.TypeXHeader, record("GNU.sparse.major", "1")+record("GNU.sparse.minor", "0")+
			record("GNU.sparse.name", "hole.json")+record("GNU.sparse.realsize", fmt.Sprint(int64(size))))...)
		all = append(all, block("hole.json", tar.TypeReg, "0\n"+string(make([]byte, 510)))...)
	}
	all = append(all, block("behind.json", tar.TypeReg, "[]")...)
	all = append(all, make([]byte, 1024)...)
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	if _, err := z.Write(all); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return packed.Bytes()
}

// A sparse entry is named and not unpacked: its holes take no room in the archive, and would hide
// all that stands behind them for hours.
func TestSparseEntriesAreNotUnpacked(t *testing.T) {
	t.Parallel()
	for _, old := range []bool{false, true} {
		b := sparseTar(t, old)
		got := walk(b, archive.Limits{})
		if want := "hole.json=!archive.unsupported\nbehind.json=[]"; got != want {
			t.Errorf("old format %v, %d bytes: got %q, want %q", old, len(b), got, want)
		}
	}
}
