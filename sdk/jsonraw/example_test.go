package jsonraw_test

import (
	"fmt"

	"github.com/pdpp-host/pdpp-host/sdk/jsonraw"
)

// A line of a log of which one member is wanted.
func ExampleReader() {
	r := jsonraw.Reader{Src: []byte(`{"output":[1,2,3],"text":"hello, world"}`)}
	var shown jsonraw.Clipper
	shown.Reset(5)
	r.Enter('{')
	for first := true; ; first = false {
		name, more := r.Member(first)
		if !more {
			break
		}
		if value := r.Value(); string(name) == "text" {
			shown.Text(value)
		}
	}
	fmt.Println(string(shown.Buf), r.End())
	// Output: hello true
}
