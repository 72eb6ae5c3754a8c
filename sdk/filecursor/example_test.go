package filecursor_test

import (
	"fmt"
	"testing/fstest"
	"time"

	"github.com/pdpp-host/pdpp-host/sdk/filecursor"
)

// A log that grows between two runs. The cursor of the first run makes the second
// begin behind the lines that the first one read.
func ExampleScanner() {
	folder := fstest.MapFS{"app.log": {Data: []byte("one\ntwo\n"), ModTime: time.Unix(1, 0)}}

	var sc filecursor.Scanner
	read := func(cursor filecursor.Cursor) filecursor.Cursor {
		plan, err := sc.Open(folder, "app.log", cursor)
		if err != nil {
			panic(err)
		}
		fmt.Print(plan, ":")
		for sc.Next() {
			fmt.Printf(" %s", sc.Line())
		}
		res, err := sc.Close()
		if err != nil {
			panic(err)
		}
		fmt.Println()
		return res.Cursor
	}

	cursor := read(filecursor.Cursor{})
	folder["app.log"] = &fstest.MapFile{Data: []byte("one\ntwo\nthree\n"), ModTime: time.Unix(2, 0)}
	read(cursor)
	// Output:
	// rebuild: one two
	// append: three
}
