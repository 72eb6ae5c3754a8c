package zstd_test

import (
	"bytes"
	"fmt"
	"io"

	"github.com/pdpp-host/pdpp-host/sdk/zstd"
)

// A file that was cut off gives what is in front of the cut, and says where it ends.
func ExampleReader() {
	packed := []byte("\x28\xb5\x2f\xfd\x20\x05\x29\x00\x00hello") // one block, as it is
	text, err := io.ReadAll(zstd.NewReader(bytes.NewReader(packed)))
	fmt.Printf("%s %v\n", text, err)
	_, err = io.ReadAll(zstd.NewReader(bytes.NewReader(packed[:10])))
	fmt.Println(err)
	// Output:
	// hello <nil>
	// the compressed data is cut off at byte 6: it ends within a frame
}
