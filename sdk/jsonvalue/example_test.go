package jsonvalue_test

import (
	"fmt"

	"github.com/pdpp-host/pdpp-host/sdk/jsonvalue"
)

// A member that is missing is the zero Value, and a value of another type reads as empty: a
// connector asks without looking first, and asks the Kind where it matters.
func Example() {
	v, err := jsonvalue.Parse([]byte(`{"notes": [{"id": "a", "size": 3}, {"id": "b"}], "next": null}`))
	if err != nil {
		fmt.Println(err)
		return
	}
	for it := v.Get("notes").Children(); it.Next(); {
		note := it.Value()
		size, has := note.Get("size").IntOK()
		fmt.Println(note.Get("id").Str(), size, has)
	}
	fmt.Println(v.Get("next").IsNull(), v.Get("nothing").Get("below").Str() == "")
	// Output:
	// a 3 true
	// b 0 false
	// true true
}
