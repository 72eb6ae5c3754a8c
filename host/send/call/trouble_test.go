package call

import (
	"net"
	"syscall"
	"testing"

	"github.com/pdpp-host/pdpp-host/abi"
)

// Why a host did not answer well is known until it does.
func TestTrouble(t *testing.T) {
	t.Parallel()
	refused := &net.OpError{Op: "dial", Err: syscall.ECONNREFUSED}
	for name, c := range map[string]struct {
		answer says
		want   Trouble
	}{
		"refused":    {says{err: refused}, Trouble{abi.CauseConnectionRefused, "api.example.com"}},
		"unresolved": {says{err: &net.DNSError{Err: "no such host"}}, Trouble{abi.CauseNameUnresolved, "api.example.com"}},
		"unwell":     {says{status: 502}, Trouble{abi.CauseServiceFails, "api.example.com"}},
		"throttled":  {says{status: 429}, Trouble{}},
		"answered":   {says{status: 404}, Trouble{}},
	} {
		b := newBed(t, nil)
		b.script(c.answer)
		b.get(api, "")
		if got := b.Trouble(); got != c.want {
			t.Errorf("%s: got %+v, want %+v", name, got, c.want)
		}
		b.script(says{status: 200})
		b.get(api, "")
		if got := b.Trouble(); got != (Trouble{}) {
			t.Errorf("%s: got %+v once it has answered, want none", name, got)
		}
	}
}
