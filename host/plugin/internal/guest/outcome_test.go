//go:build unix

package guest

import (
	"errors"
	"testing"

	"github.com/pdpp-host/pdpp-host/abi"
)

// output is a sink of which a test uses no more than what a guest writes.
type output struct{ Sink }

func (output) Output(int, []byte) error { return nil }

// A crash for want of memory is the machine's where the machine has less than the connector may
// use, and the connector's own recursion where a Go guest's stack found no room; the limit's
// advice is for what is left.
func TestCauseOfACrashForMemory(t *testing.T) {
	t.Parallel()
	const goCrash = "runtime: out of memory: cannot allocate 134217728-byte block (67469312 in use)\nfatal error: out of memory\n" +
		"runtime.stackalloc(0x8000000)\n runtime/stack.go:424 +0x47\n"
	for name, c := range map[string]struct {
		mem   budget
		wrote string
		want  abi.Code
	}{
		"the limit":           {budget{refused: true}, goCrash, abi.CodeLimitMemory},
		"the machine":         {budget{short: true}, goCrash, CodeMachineMemory},
		"the stack":           {budget{refused: true}, goCrash + "runtime.copystack(0x2821c0, 0x8000000)\n", abi.CodeGuestTrap},
		"the stack, in words": {budget{refused: true}, "it called runtime.copystack(1)\n", abi.CodeLimitMemory},
		"another crash":       {budget{}, "runtime.copystack(0x2821c0, 0x8000000)\n", abi.CodeGuestTrap},
	} {
		s := NewSession(output{})
		if _, err := s.outputs[1].Write([]byte(c.wrote)); err != nil {
			t.Fatal(err)
		}
		if got := abi.CodeOf(s.classify(0, errors.New("wasm error: unreachable"), &c.mem).Err); got != c.want {
			t.Errorf("%s: got %s, want %s", name, got, c.want)
		}
	}
	var l linear
	l.budget = &budget{limit: 1 << 20}
	if l.Reallocate(2<<20) != nil || !l.budget.refused || l.budget.short {
		t.Errorf("above the limit: got %+v, want it refused", l.budget)
	}
	l = linear{budget: &budget{limit: 1 << 20}} // of which the machine gave no address
	if l.Reallocate(1<<16) != nil || l.budget.refused || !l.budget.short {
		t.Errorf("within the limit: got %+v, want the machine short", l.budget)
	}
}
