package exports

import (
	"slices"
	"testing"

	"github.com/pdpp-host/pdpp-host/sdk/jsonvalue"
)

// A source's fates survive its cursor.
func TestFatesAreRemembered(t *testing.T) {
	t.Parallel()
	var f fates
	f.add("a", Read, "", "texts")
	f.add("b", Unknown, "", "")
	f.add("c", Damaged, "cut", "")
	f.add("d", Rule, "", "pictures")
	f.add("e", Rule, "", "pictures")
	f.add("f", Read, "", "")
	f.add("g", Rule, "", "albums")
	v, err := jsonvalue.Parse(f.appendJSON(nil))
	if err != nil {
		t.Fatal(err)
	}
	got := readFates(v)
	if got.n != f.n || len(got.left) != 2 || got.seen != 7 || !slices.Equal(got.rules, []rules{{3, 2, "pictures"}, {6, 1, "albums"}}) || got.left[0] != (left{"b", Unknown, ""}) || got.left[1] != (left{"c", Damaged, "cut"}) {
		t.Errorf("got %+v, want %+v", got, f)
	}
}
