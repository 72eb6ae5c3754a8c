package files_test

import (
	"io/fs"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/pdpp-host/pdpp-host/sdk/files"
)

// AC-02: a file in a folder with the marker, or below one, belongs to it, and every other one is listed.
func TestOutside(t *testing.T) {
	t.Parallel()
	tree := fstest.MapFS{"s/link": {Data: []byte("v.md"), Mode: fs.ModeSymlink}}
	for _, p := range []string{"v.md", "t/skill.md", "t/in/note", "a/A", "a/SKILL.md", "a/b/c", "g/LICENSE", "g/h/SKILL.md", "g/h/x", ".git/a", "g/.marker", "g/Thumbs.db", "t/x.tmp"} {
		tree["s/"+p] = &fstest.MapFile{}
	}
	for _, c := range []struct {
		depth, most int
		want        string
		whole       bool
	}{
		{3, 9, "g/LICENSE t/in/note t/skill.md v.md", true}, {2, 9, "g/LICENSE t/skill.md v.md", true}, {3, 2, "g/LICENSE t/in/note", false},
	} {
		got, whole := files.Outside(tree, "s", "SKILL.md", c.depth, c.most)
		if strings.Join(got, " ") != c.want || whole != c.whole {
			t.Errorf("of %d levels, %d files: got %q, %v, want %q, %v", c.depth, c.most, got, whole, c.want, c.whole)
		}
	}
	tree["s/SKILL.md"] = &fstest.MapFile{}
	for _, dir := range []string{"s", "absent"} {
		if got, whole := files.Outside(tree, dir, "SKILL.md", 3, 9); len(got) > 0 || !whole {
			t.Errorf("%s: got %q, %v, want none, true", dir, got, whole)
		}
	}
}
