package modules

import (
	"fmt"
	"testing"

	"github.com/pdpp-host/pdpp-host/host/plugin"
)

// A Memory stays small, whatever it is asked to keep.
func TestMemoryIsBounded(t *testing.T) {
	t.Parallel()
	for _, size := range []int{1, mostRememberedBytes / 10, mostRememberedBytes + 1} {
		m, last := new(Memory), ""
		for i := range 2 * mostRemembered {
			last = fmt.Sprint(i)
			m.keep(&Described{File: &plugin.File{SHA256: last, Bytes: make([]byte, 1)}, Raw: make([]byte, size)})
		}
		sum := 0
		for _, d := range m.said {
			if sum += len(d.Raw); d.File != nil {
				t.Fatal("got a kept file, want none: its bytes are many")
			}
		}
		if len(m.said) > mostRemembered || sum > mostRememberedBytes || sum != m.bytes {
			t.Errorf("manifests of %d bytes: got %d with %d bytes, counted as %d; want at most %d with %d", size, len(m.said), sum, m.bytes, mostRemembered, mostRememberedBytes)
		}
		if known := m.recall(&plugin.File{SHA256: last}) != nil; known != (size <= mostRememberedBytes) {
			t.Errorf("manifests of %d bytes: got the last one known %t, want %t", size, known, !known)
		}
	}
}
