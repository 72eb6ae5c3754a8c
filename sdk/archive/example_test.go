package archive_test

import (
	"archive/zip"
	"bytes"
	"fmt"
	"io"
	"testing/fstest"

	"github.com/pdpp-host/pdpp-host/sdk/archive"
)

// An archive is walked, and one of its entries is read. The root would be the granted
// folder, h.Root(...).
func ExampleOpen() {
	var packed bytes.Buffer
	z := zip.NewWriter(&packed)
	for _, name := range []string{"photos/sea.jpg", "data/notes.txt", "../escape"} {
		w, _ := z.Create(name)
		_, _ = io.WriteString(w, "the content of "+name)
	}
	_ = z.Close()
	root := fstest.MapFS{"export.zip": {Data: packed.Bytes()}}

	a, err := archive.Open(root, "export.zip", archive.Limits{})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer a.Close()
	for a.Next() {
		switch e := a.Entry(); {
		case e.Problem != nil:
			fmt.Println("left out:", e.Problem.Message)
		case e.Name == "data/notes.txt":
			content, err := io.ReadAll(a)
			fmt.Println(string(content), err)
		}
	}
	fmt.Println(a.Err())
	// Output:
	// the content of data/notes.txt <nil>
	// left out: the name of an entry leads out of the archive, or is no path
	// <nil>
}
