package jsonvalue

import (
	"fmt"
	"strings"
	"testing"
	"unsafe"
)

// A collector that takes every word for an address finds none among the nodes of
// a long text: each word is below the first page or in the upper half of memory.
func TestNodesHoldNoAddresses(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	for i := range 20_000 {
		fmt.Fprintf(&b, `,"file %d":{"at":[%d,{"of":null}],"name":"n\u00e9"}`, i, i)
	}
	const lowest, highest = 1 << 16, 1 << 31 // where a guest's heap can lie
	text := "{" + b.String()[1:] + "}"
	for _, text := range []string{text, text[:len(text)-1]} { // the second leaves its object open
		var d Doc
		_, err := d.Parse([]byte(text))
		if whole := strings.HasSuffix(text, "}}"); whole != (err == nil) {
			t.Fatalf("whole %v: %v, want %v", whole, err, err == nil)
		}
		nodes := d.nodes[:cap(d.nodes)]
		words := unsafe.Slice((*uint32)(unsafe.Pointer(unsafe.SliceData(nodes))), len(nodes)*int(unsafe.Sizeof(node{}))/4)
		if len(words) < 100_000 {
			t.Fatalf("%d words, want those of many nodes", len(words))
		}
		for i, w := range words {
			if w >= lowest && w < highest {
				t.Fatalf("word %d of the nodes is %#x, want none from %#x to %#x", i, w, lowest, highest)
			}
		}
	}
}
