package files_test

import (
	"fmt"
	"testing/fstest"

	"github.com/pdpp-host/pdpp-host/sdk/files"
)

// The notes of a folder.
func ExampleWalk_List() {
	folder := fstest.MapFS{"notes/a.md": {Data: []byte("# A")}, "notes/old/b.md": {}, "notes/old/deep/c.md": {}}
	found := files.Walk{Depth: 2, Most: 100}.List(folder, "notes")
	for _, e := range found.Files() {
		fmt.Println(e.Path, e.Size)
	}
	for _, f := range found.Faults {
		fmt.Println(f.Path, f.Why == files.Deep)
	}
	fmt.Println(found.Whole())
	// Output:
	// a.md 3
	// old/b.md 0
	// old/deep true
	// false
}
