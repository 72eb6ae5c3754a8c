package sdk_test

import (
	"fmt"

	"github.com/pdpp-host/pdpp-host/sdk"
	"github.com/pdpp-host/pdpp-host/sdk/sdktest"
)

// A connector that lists all notes. It keeps no list of them: the host deletes what the list
// no longer has.
func ExampleEnumeration() {
	source := []string{"milk", "bread", "tea"}
	collect := func(h *sdk.Host) error { // the connector's Collect
		list, err := h.Enumerate("notes", "", h.Cursor("notes").Get("begun_by").Str())
		if err != nil {
			return err
		}
		for _, id := range source {
			r := h.Record("notes")
			r.String("id", id)
			if err := r.Emit(); err != nil {
				return err
			}
		}
		if err := list.Whole(); err != nil {
			return err
		}
		return h.State("notes", []byte("{}")) // the list was read: the next run begins another one
	}

	store := sdktest.Store{}
	first := sdktest.Collect(exampleT{}, notesConnector(collect), sdktest.Options{})
	store.Apply(first)
	fmt.Println(store.Len(), "notes")
	source = []string{"milk", "tea"}
	store.Apply(first.SecondRun(exampleT{}, nil))
	fmt.Println(store.Len(), "notes, without bread:", store["notes"]["bread"].Key == "")
	// Output:
	// 3 notes
	// 2 notes, without bread: true
}
