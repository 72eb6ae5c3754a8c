package exports_test

import (
	"testing"

	"github.com/pdpp-host/pdpp-host/sdk/exports"
)

// AC-08: a copy of a part is that part, whatever a system has called it, and a missing part is told under the name that the
// others have.
func TestCopiesOfParts(t *testing.T) {
	t.Parallel()
	found := exports.NewBooks()
	missing := exports.MissingParts(found.Problems, []string{
		"takeout-20240101T000000Z-001 (1).zip", "Kopie von takeout-20240101T000000Z-003.zip", "sub/takeout-20240101T000000Z-004 - Copy.zip",
	})
	if len(missing) != 1 || !missing["takeout-20240101t000000z"] {
		t.Errorf("%v lack a part, want the one export", missing)
	}
	for name, want := range map[string]exports.Part{
		"Copie de takeout-20240101T000000Z-2-001.zip":      {Of: "takeout-20240101t000000z-2", N: 1, Name: "takeout-20240101T000000Z-2"},
		"takeout-20240101T000000Z-002 - Kopie (2).tgz":     {Of: "takeout-20240101t000000z", N: 2, Name: "takeout-20240101T000000Z"},
		"My Export part 2 of 3.zip":                        {Of: "my export ", N: 2, Total: 3, Name: "My Export "},
		"TAKEOUT-20240101T000000Z-001.ZIP":                 {Of: "takeout-20240101t000000z", N: 1, Name: "TAKEOUT-20240101T000000Z"},
		"\u212atakeout \u212a takeout-20240101T0Z-005.zip": {Of: "takeout-20240101t0z", N: 5, Name: "takeout-20240101t0z"},
	} {
		if got, ok := exports.PartOf(name); got != want || !ok {
			t.Errorf("%s: got %+v %v, want %+v", name, got, ok, want)
		}
	}
}
