package charset_test

import (
	"fmt"
	"io"
	"strings"

	"github.com/pdpp-host/pdpp-host/sdk/charset"
)

// A file that an old program wrote in Windows-1252.
func ExampleReader() {
	r := charset.New(strings.NewReader("Caf\xe9 in K\xf6ln, 3 \x80"))
	text, err := io.ReadAll(r)
	fmt.Println(string(text), err)
	fmt.Println("bytes that were not UTF-8:", r.Taken())
	// Output:
	// Café in Köln, 3 € <nil>
	// bytes that were not UTF-8: 3
}
