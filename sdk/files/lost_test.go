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
				if got := s.Lost(c.key, c.text, files.Sum(c.text)); got != c.want {
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
		if files.Open(h, "notes", "n:").Lost("known", "", files.Sum("")) {
			t.Error("a file came back blank, of which the record is gone: got a text that was lost, want a new one")
		}
		return nil
	}, nil)
}
