package profile

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
)

// BR-19: captures are listed in their order, read by their names alone, kept seven days, and go with
// the profile.
func TestCaptures(t *testing.T) {
	t.Parallel()
	dir, now := filepath.Join(t.TempDir(), "profiles"), time.Date(2026, 3, 9, 12, 0, 0, 0, time.UTC)
	if all, err := Captures(dir, "shop", now); len(all) != 0 || err != nil {
		t.Errorf("no folder: got %v, %v, want no captures", all, err)
	}
	if err := SweepCaptures(dir, now); err != nil {
		t.Errorf("no folder: got %v, want nothing to remove", err)
	}
	h, err := hold(t, dir, "shop", time.Second)
	if err != nil {
		t.Fatal(err)
	}
	var ids []string
	for _, age := range []time.Duration{CaptureKept + time.Second, CaptureKept, 0} {
		id, err := h.Capture(now.Add(-age), []byte("html\n"))
		if err != nil {
			t.Fatal(err)
		}
		ids = append(ids, id)
	}
	if _, err := h.Capture(now, []byte("other")); err == nil {
		t.Error("a second one of the same moment: got no error, want the first one kept")
	}
	all, err := Captures(dir, "shop", now)
	if err != nil || len(all) != 2 || all[0].ID != ids[1] || all[1].ID != ids[2] || all[1].Bytes != 5 || !all[1].At.Equal(now) {
		t.Errorf("got %+v, %v, want the two that are not too old, the oldest first", all, err)
	}
	if err := SweepCaptures(dir, now); err != nil {
		t.Fatal(err)
	}
	for _, unknown := range []string{ids[0], "", "../shop/x", ids[2] + "/..", "20260309T120000"} {
		if text, err := ReadCapture(dir, "shop", unknown); abi.CodeOf(err) != abi.CodeBrowserCapture {
			t.Errorf("%q: got %q, %v, want %s", unknown, text, err, abi.CodeBrowserCapture)
		}
	}
	if text, err := ReadCapture(dir, "shop", ids[2]); string(text) != "html\n" || err != nil {
		t.Errorf("got %q, %v, want its text", text, err)
	}
	if all, err := Captures(dir, "other", now); len(all) != 0 || err != nil {
		t.Errorf("another profile: got %v, %v, want no captures", all, err)
	}
	if sizes, err := Sizes(dir); len(sizes) != 1 || err != nil {
		t.Errorf("got the profiles %v, %v, want shop alone", sizes, err)
	}
	if err := h.Release(); err != nil {
		t.Fatal(err)
	}
	if err := Remove(t.Context(), dir, "shop", time.Second); err != nil {
		t.Fatal(err)
	}
	if left, err := os.ReadDir(filepath.Join(dir, captures)); len(left) != 0 || err != nil {
		t.Errorf("got %v, %v, want its captures gone with the profile", left, err)
	}
}
