package files_test

import (
	"testing"

	"github.com/pdpp-host/pdpp-host/sdk"
	"github.com/pdpp-host/pdpp-host/sdk/files"
	"github.com/pdpp-host/pdpp-host/sdk/sdktest"
)

func TestStamp(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		was, now      files.Stamp
		same, learned bool
	}{
		{files.Stamp{1, 2, 3}, files.Stamp{1, 2, 3}, true, false},
		{files.Stamp{1, 2, 3}, files.Stamp{1, 2, 4}, false, false},
		{files.Stamp{1, 2, 3}, files.Stamp{1, 3, 3}, false, false},
		{files.Stamp{1, 2, 3}, files.Stamp{2, 2, 3}, false, false},
		{files.Stamp{1, 2, 0}, files.Stamp{1, 2, 4}, true, true}, // of an earlier version
		{files.Stamp{1, 2, 3}, files.Stamp{1, 2, 0}, true, false},
	} {
		if got := c.was.Same(c.now); got != c.same {
			t.Errorf("%v now %v: got the same %t, want %t", c.was, c.now, got, c.same)
		}
		before := c.was
		if got := files.Learn(&c.was, c.now); got != c.learned || !got && c.was != before || got && c.was != c.now {
			t.Errorf("%v now %v: got learned %t, %v, want %t", before, c.now, got, c.was, c.learned)
		}
	}
	if one, two := files.Changes(files.Changes(0, 5), 6), files.Changes(files.Changes(0, 6), 5); one == two || one>>53 != 0 || files.Changes(0, 0) != 0 {
		t.Errorf("got %d and %d for two files, want them to differ within 53 bits, and 0 of none", one, two)
	}
}

// A set that knows no times of changes learns them without looking at a file, and looks at one that changed
// behind its size and its time of modification.
func TestSetMeetsAChange(t *testing.T) {
	t.Parallel()
	var now files.Stamp
	looked := 0
	read := notes(func(h *sdk.Host) error {
		s := files.Open(h, "notes", "n:")
		if e := (files.Entry{Stamp: now}); !s.Same("a", e) {
			looked++
			s.Take("a", e, now.CTimeMS+1)
		}
		return s.Close(true)
	})
	now = files.Stamp{Size: 3, MTimeMS: 5}
	res := sdktest.Collect(t, read, sdktest.Options{})
	for _, c := range []struct {
		changed int64
		looked  int
		cursor  string
	}{
		{7, 1, `{"v":1,"items":{"a":[3,5,1,0,7]}}`}, {7, 1, `{"v":1,"items":{"a":[3,5,1,0,7]}}`},
		{8, 2, `{"v":1,"items":{"a":[3,5,9,0,8]}}`}, {0, 2, `{"v":1,"items":{"a":[3,5,9,0,8]}}`},
	} {
		now.CTimeMS = c.changed
		res = next(t, res, read, nil)
		if got := res.Committed()["notes"]; got != c.cursor || looked != c.looked {
			t.Errorf("changed at %d: got the cursor %s after %d looks, want %s after %d", c.changed, got, looked, c.cursor, c.looked)
		}
	}
}
