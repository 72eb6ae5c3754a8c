package jsonappend_test

import (
	"fmt"

	"github.com/pdpp-host/pdpp-host/sdk/jsonappend"
)

// Name writes the comma where one is needed; the braces are the caller's.
func Example() {
	b := []byte{'{'}
	b = jsonappend.String(jsonappend.Name(b, "name"), "a \"note\"")
	b = jsonappend.Int(jsonappend.Name(b, "count"), 2)
	b = jsonappend.Strings(jsonappend.Name(b, "tags"), []string{"x", "y"})
	fmt.Println(string(append(b, '}')))
	// Output: {"name":"a \"note\"","count":2,"tags":["x","y"]}
}
