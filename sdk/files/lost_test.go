package files_test

import (
	"testing"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/sdk"
	"github.com/pdpp-host/pdpp-host/sdk/files"
	"github.com/pdpp-host/pdpp-host/sdk/sdktest"
)

// A full refresh knows as well whether a file has lost its text, and leaves its record.
func TestLost(t *testing.T) {
	t.Parallel()
	first := sdktest.Collect(t, has(true, "known=text", "blank= "), sdktest.Options{})
	for _, mode := range []string{abi.ModeIncremental, abi.ModeFullRefresh} {
		for _, c := range []struct {
			key, text string
			want, all bool
		}{
			{"known", "text", false, false},
			{"known", "other", false, false},
			{"known", "", true, true},
			{"known", " \r\n\t", true, true},
			{"known", "te\x00t", true, true},
			{"known", "\x00\x00", true, true},
			{"blank", " ", false, true}, // LostAll knows no text
			{"blank", "", true, true},
			{"unknown", "", false, false},
			{"unknown", "text", false, false},
			{"unknown", "\x00", true, true},
		} {
			res := next(t, first, func(h *sdk.Host) error {
				s := files.Open(h, "notes", "n:")
				if got := s.LostAll(c.key, c.text); got != c.all {
					t.Errorf("%s, %s %q: got %v for a file of several, want %v", mode, c.key, c.text, got, c.all)
				}
				if _, got := s.Lost(c.key, c.text, files.Sum(c.text)); got != c.want {
					t.Errorf("%s, %s %q: got %v, want %v", mode, c.key, c.text, got, c.want)
				}
				if !c.want && c.key != "unknown" {
					s.KeepIf(func(key string) bool { return key == c.key })
				}
				return s.Close(true)
			}, func(o *sdktest.Options) { o.Mode = mode })
			if _, there := res.Stored()["notes"]["n:"+c.key]; there != (c.key != "unknown") {
				t.Errorf("%s, %s %q: got a record: %v, want the one that was there", mode, c.key, c.text, there)
			}
		}
	}
	next(t, next(t, first, has(true, "blank= "), nil), func(h *sdk.Host) error {
		if _, lost := files.Open(h, "notes", "n:").Lost("known", "", files.Sum("")); lost {
			t.Error("a file came back blank, of which the record is gone: got a text that was lost, want a new one")
		}
		return nil
	}, nil)
}

// A document that was always blank has lost nothing when another version reads it, or a full refresh that ended before it came to
// the document. One that had a text has.
func TestLostUnderAnotherVersion(t *testing.T) {
	t.Parallel()
	version := func(word, known string, whole bool) notes {
		return func(h *sdk.Host) error {
			s := files.Open(h, "notes", "n:")
			for _, one := range [][2]string{{"blank", ""}, {"known", known}} {
				sum, lost := s.Lost(one[0], one[1], files.Sum(word, one[1]))
				if want := one[0] == "known" && known == ""; lost != want {
					t.Errorf("%s by %s: got lost %v, want %v", one[0], word, lost, want)
				}
				if !lost && s.News(one[0], sum) {
					r := h.Record("notes")
					r.String("id", "n:"+one[0])
					if err := r.Emit(); err != nil {
						return err
					}
				}
			}
			return s.Close(whole)
		}
	}
	first := sdktest.Collect(t, version("1", "text", true), sdktest.Options{})
	second := next(t, first, version("2", "", true), nil)
	if did(second) != "+n:blank" {
		t.Errorf("got %q of another version, want the blank one emitted again", did(second))
	}
	again := next(t, second, version("2", "", true), nil)
	if did(again) != "" {
		t.Errorf("got %q in a run without a change, want nothing", did(again))
	}
	cut := next(t, again, keepAll, func(o *sdktest.Options) { o.Mode = abi.ModeFullRefresh })
	next(t, cut, version("3", "", true), nil)
	whole := next(t, cut, version("3", "text", true), nil)
	if did(whole) != "+n:blank +n:known" {
		t.Errorf("got %q behind a full refresh that ended early, want both emitted again", did(whole))
	}
}

// keepAll ends without a look at anything, and has its cursor say so.
func keepAll(h *sdk.Host) error {
	s := files.Open(h, "notes", "n:")
	s.Take("new", files.Entry{}, 1)
	return s.Close(false)
}
