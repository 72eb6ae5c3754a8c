package run

import (
	"testing"

	"github.com/pdpp-host/pdpp-host/abi"
)

// A guest cannot make the host hold more memory than maxCharged, whether for keys or
// for cursors; a cursor that replaces another gives back the memory of the other.
func TestMemoryIsBounded(t *testing.T) {
	t.Parallel()
	j := &journal{}
	for range maxCharged >> 20 {
		if err := j.chargeMemory(1 << 20); err != nil {
			t.Fatal(err)
		}
	}
	if err := j.chargeMemory(1); abi.CodeOf(err) != abi.CodeTooManyMessages {
		t.Fatal(err)
	}
	if err := j.chargeMemory(-1); err != nil {
		t.Fatal(err)
	}
}

// Cursors that replace each other, by slice or by stage, do not add up.
func TestReplacedCursorsAreNotKept(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("320 MB of them")
	}
	h := newHost(t, setup{})
	pad := `pad 4000000 state {"type":"STATE","stream":"notes","cursor":{"at":"@"}`
	res := h.mustPlay("repeat 80 " + pad + "}\n" + pad + `,"slice":{"id":"s","complete":true}}` + done(0))
	if res.Status != StatusSucceeded {
		t.Fatalf("got %s %s %+v, want succeeded", res.Status, res.Reason, res.Error)
	}
}
