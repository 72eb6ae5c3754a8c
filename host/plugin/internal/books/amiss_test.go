package books

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/abi/manifest"
)

func say(b *Books, path, as, reason string) {
	b.Claim(fmt.Appendf(nil, `{"type":"ACCOUNT","files":[{"root":"r","path":%q,"as":%q,"reason":%q}]}`, path, as, reason))
}

// AC-02: files that are damaged, or known and not read, are named with their reasons; a reason is
// settled once rules cover each of its files.
func TestAmissFiles(t *testing.T) {
	t.Parallel()
	root := folder(t, "cut", "cut2", "old", "mended", "done.bak", "half.bak", "half", "plain")
	b := New(Rule{Owners: []manifest.Word{{Pattern: "*.bak"}}}, later())
	b.Root("r")
	say(b, "cut", abi.FileDamaged, "torn")
	say(b, "cut", abi.FileDamaged, "torn") // said again
	say(b, "cut2", abi.FileDamaged, "torn")
	say(b, "cut2", abi.FileDamaged, "long")
	say(b, "old", abi.FileKnown, "version")
	say(b, "mended", abi.FileDamaged, "torn")
	say(b, "mended", abi.FileRead, "") // a later word
	say(b, "done.bak", abi.FileDamaged, "settled")
	say(b, "half.bak", abi.FileDamaged, "half")
	say(b, "half", abi.FileDamaged, "half")
	say(b, "plain", abi.FileKnown, "") // nothing in it is for the connector
	say(b, "gone", abi.FileKnown, "missing")
	r := b.Close(map[string]*os.Root{"r": root}, later)
	var got []string
	for _, a := range r.Amiss {
		got = append(got, a.Path+" "+a.As+" "+a.Reason)
	}
	want := []string{"cut damaged torn", "cut2 damaged long", "cut2 damaged torn", "half damaged half", "old known version"}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	if !slices.Equal(r.Settled, []string{"settled"}) || !slices.Equal(r.Open, []string{"missing"}) {
		t.Errorf("settled %q and open %q, want [settled] and [missing]", r.Settled, r.Open)
	}
}

// AC-02, AC-03: what a connector says of a file stands above the patterns of its own manifest: they settle no damage
// that it tells of, and hide no file that it did not understand. The owner's word does.
func TestAConnectorsPatternsSettleNothing(t *testing.T) {
	t.Parallel()
	for _, owners := range []string{"none", "db/", "db/cut"} {
		root := folder(t, "db/cut", "db/odd", "db/plain")
		b := New(Rule{Ignores: []abi.Ignore{{Pattern: "db/*"}}, Owners: []manifest.Word{{Pattern: owners}}}, later())
		b.Root("r")
		say(b, "db/cut", abi.FileDamaged, "torn")
		say(b, "db/odd", abi.FileUnknown, "")
		r := b.Close(map[string]*os.Root{"r": root}, later)
		settled, amiss, unread := owners != "none", len(r.Amiss) == 1 && r.Amiss[0].Path == "db/cut", len(r.Unread) == 1 && r.Unread[0].Path == "db/odd"
		if slices.Equal(r.Settled, []string{"torn"}) != settled || amiss == settled || unread == (owners == "db/") {
			t.Errorf("owner's pattern %s: settled %q, amiss %v, unread %v", owners, r.Settled, r.Amiss, r.Unread)
		}
	}
}

// A guest that says more of its files than there is room for has none of it settled.
func TestAmissFilesAreBounded(t *testing.T) {
	t.Parallel()
	root := folder(t, "a.bak")
	b := New(Rule{Owners: []manifest.Word{{Pattern: "*.bak"}}}, time.Now())
	b.Root("r")
	say(b, "a.bak", abi.FileDamaged, "torn")
	for i := range MaxNames {
		say(b, fmt.Sprintf("f%d", i), abi.FileDamaged, "torn")
	}
	r := b.Close(map[string]*os.Root{"r": root}, later)
	if len(r.Settled) > 0 || !slices.Equal(r.Open, []string{"torn"}) {
		t.Errorf("settled %q, open %q, want nothing settled and [torn]", r.Settled, r.Open)
	}
	for i := range 3 * MaxNames {
		say(b, "f", abi.FileDamaged, strings.Repeat("x", 300)+fmt.Sprint(i))
	}
	if r := b.Close(map[string]*os.Root{"r": root}, later); len(r.Settled)+len(r.Open)+len(r.Amiss) > 0 {
		t.Errorf("got %d settled, %d open and %d amiss, want nothing", len(r.Settled), len(r.Open), len(r.Amiss))
	}
	if n := len(b.amiss.files) + len(b.amiss.more); n > 2*MaxNames || b.amiss.bytes > maxNameBytes {
		t.Errorf("got %d files and reasons in %d bytes, want at most %d in %d", n, b.amiss.bytes, 2*MaxNames, maxNameBytes)
	}
}
