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
		want   abi.Cause
	}{
		"refused":    {says{err: refused}, abi.CauseConnectionRefused},
		"unresolved": {says{err: &net.DNSError{Err: "no such host"}}, abi.CauseNameUnresolved},
		"unwell":     {says{status: 502}, abi.CauseServiceFails},
		"throttled":  {says{status: 429}, ""},
		"answered":   {says{status: 404}, ""},
	} {
		b := newBed(t, nil)
		b.script(c.answer)
		b.get(api, "")
		if got, host := b.Trouble(); got != c.want || (host == "api.example.com") != (c.want != "") {
			t.Errorf("%s: got %q at %q, want %q", name, got, host, c.want)
		}
		b.script(says{status: 200})
		b.get(api, "")
		if got, host := b.Trouble(); got != "" || host != "" {
			t.Errorf("%s: got %q at %q once it has answered, want none", name, got, host)
		}
	}
}
