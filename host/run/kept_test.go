package run

import (
	"testing"

	"github.com/pdpp-host/pdpp-host/abi"
)

// A guest cannot make the host keep more than its bound, whatever it is made
// of; a cursor that replaces another gives the room of that one back.
func TestKeptIsBounded(t *testing.T) {
	t.Parallel()
	c := &collection{}
	for range maxKept >> 20 {
		if err := c.keep(1 << 20); err != nil {
			t.Fatal(err)
		}
	}
	if err := c.keep(1); abi.CodeOf(err) != abi.CodeTooManyMessages {
		t.Fatal(err)
	}
	if err := c.keep(-1); err != nil {
		t.Fatal(err)
	}
}

// Cursors that replace each other, by slice or by stage, do not add up.
func TestReplacedCursorsAreNotKept(t *testing.T) {
	t.Parallel()
	h := newHost(t, setup{})
	pad := `pad 4000000 state {"type":"STATE","stream":"notes","cursor":{"at":"@"}`
	res := h.mustPlay("repeat 80 " + pad + "}\n" + pad + `,"slice":{"id":"s","complete":true}}` + done(0))
	if res.Status != StatusSucceeded {
		t.Fatalf("%s %+v", res.Reason, res.Error)
	}
}
