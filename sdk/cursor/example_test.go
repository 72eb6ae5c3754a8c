package cursor_test

import (
	"fmt"

	"github.com/pdpp-host/pdpp-host/sdk"
	"github.com/pdpp-host/pdpp-host/sdk/cursor"
	"github.com/pdpp-host/pdpp-host/sdk/jsonvalue"
)

// position is where a list was broken off.
type position struct {
	newest int64
	next   string
}

func (p *position) Members(m *cursor.Members) {
	m.Int("newest_ms", &p.newest)
	m.Text("next", &p.next)
}

// A connector reads its cursor at the beginning, and writes it with State or Slice. When the
// version is raised, the earlier cursor is forgotten.
func Example() {
	written := cursor.Encode(1, sdk.Account{}, &position{newest: 1767225600000, next: "page-2"})
	fmt.Println(string(written))

	stored, _ := jsonvalue.Parse(written) // h.Cursor("notes") in a connector
	var p position
	fmt.Println(cursor.Read(stored, 1, &p), p.next)
	fmt.Println(cursor.Read(stored, 2, &p))
	// Output:
	// {"v":1,"newest_ms":1767225600000,"next":"page-2"}
	// true page-2
	// false
}
