package fingerprint

import "testing"

// Every sum is read as it was written, and the texts never change, because cursors
// contain them.
func FuzzText48(f *testing.F) {
	for text, sum := range map[string]uint64{"00000000": 0, "________": Mask48, "0000000-": 62} {
		f.Add(text, sum)
	}
	f.Fuzz(func(t *testing.T, text string, sum uint64) {
		sum &= Mask48
		written := string(AppendText48(nil, sum))
		if got, ok := ReadText48(written); !ok || got != sum {
			t.Errorf("%x is written %q and read %x", sum, written, got)
		}
		if got, ok := ReadText48(text); ok && string(AppendText48(nil, got)) != text {
			t.Errorf("%q is read as %x, want only texts that AppendText48 writes", text, got)
		}
	})
}

func TestText48IsForGood(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]uint64{"00000000": 0, "________": Mask48, "0000000-": 62, "10zA0000": 1<<42 | 35<<30 | 36<<24} {
		if got, ok := ReadText48(text); !ok || got != want {
			t.Errorf("%q: %x, want ok and got = %x", text, got, want)
		}
	}
	for _, text := range []string{"", "0000000", "000000000", "0000000+", "0000000\xff"} {
		if _, ok := ReadText48(text); ok {
			t.Errorf("%q was read as a sum, want it refused", text)
		}
	}
}
