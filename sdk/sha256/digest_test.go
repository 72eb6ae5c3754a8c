package sha256

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"testing"
)

// Every length around the block borders, in every split of two.
func TestLengths(t *testing.T) {
	t.Parallel()
	text := make([]byte, 260)
	for i := range text {
		text[i] = byte(i * 7)
	}
	var d Digest
	for n := range text {
		want := sha256.Sum256(text[:n])
		for cut := 0; cut <= n; cut += 1 + n/20 {
			d.Reset()
			d.Write(text[:cut])
			_ = d.Sum() // does not disturb
			d.Write(text[cut:n])
			if d.Sum() != want {
				t.Fatalf("%d bytes, cut at %d: the sum differs from crypto/sha256", n, cut)
			}
		}
	}
}

func FuzzSum(f *testing.F) {
	f.Add([]byte("abc"), uint8(1))
	f.Add(bytes.Repeat([]byte{0xFF}, 1000), uint8(63))
	f.Fuzz(func(t *testing.T, text []byte, step uint8) {
		var d Digest
		d.Reset()
		for part := text; len(part) > 0; {
			n := min(int(step)+1, len(part))
			d.Write(part[:n])
			part = part[n:]
		}
		if d.Sum() != sha256.Sum256(text) {
			t.Fatalf("%x, want d.Sum() = %v", text, sha256.Sum256(text))
		}
	})
}

func TestID(t *testing.T) {
	t.Parallel()
	sum := sha256.Sum256([]byte("a\x00b\x00"))
	if got, want := ID("a", "b"), hex.EncodeToString(sum[:12]); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if ID("ab") == ID("a", "b") {
		t.Error("two names have one ID, want two")
	}
}

func TestHex(t *testing.T) {
	t.Parallel()
	if got := Hex([]byte{0, 0x9f, 0xff}); got != "009fff" {
		t.Errorf("got %s, want 009fff", got)
	}
}
