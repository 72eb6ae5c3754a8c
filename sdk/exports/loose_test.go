package exports

import (
	"fmt"
	"testing"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/sdk"
	"github.com/pdpp-host/pdpp-host/sdk/accounts"
	"github.com/pdpp-host/pdpp-host/sdk/archive"
	"github.com/pdpp-host/pdpp-host/sdk/sdktest"
)

// loose accounts for loose files, of which more were not read than are remembered.
type loose struct{ known int }

func (loose) Manifest() string {
	return `{"connector_key":"notes","streams":[{"name":"notes","primary_key":["id"],"semantics":"mutable_state"}]}`
}

func (l loose) Collect(h *sdk.Host) error {
	var b Books
	s := Source{}
	b.fates.add("read", Read, "")
	s.loose = append(s.loose, archive.Loose{Path: "read"})
	for i := range l.known {
		name := fmt.Sprint(i)
		b.fates.add(name, Unknown, "")
		s.loose = append(s.loose, archive.Loose{Path: name})
	}
	f := Folder{name: "in"}
	f.accountLoose(accounts.Open(h), &s, &b.fates, "")
	return nil
}

// AC-02: a loose file is called read only where the names of all that were not are known.
func TestLooseFilesBeyondTheNames(t *testing.T) {
	t.Parallel()
	for known, want := range map[int]string{1: abi.FileRead, maxLeft: abi.FileRead, maxLeft + 1: ""} {
		res := sdktest.Collect(t, loose{known}, sdktest.Options{})
		if got := res.File("in", "read"); got != want {
			t.Errorf("%d: the one that was read: got %q, want %q", known, got, want)
		}
		if got := res.File("in", "0"); got != abi.FileUnknown {
			t.Errorf("%d: the first of the others: got %q, want %q", known, got, abi.FileUnknown)
		}
		if got := res.File("in", fmt.Sprint(maxLeft)); got != "" {
			t.Errorf("%d: the one beyond: got %q, want no word", known, got)
		}
	}
}
