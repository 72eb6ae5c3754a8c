package browser

import (
	"context"
	"crypto/rand"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"testing"

	"go.uber.org/goleak"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/host/browser/find"
	"github.com/pdpp-host/pdpp-host/host/browser/gate"
	"github.com/pdpp-host/pdpp-host/host/send/egress"
	"github.com/pdpp-host/pdpp-host/testplugins/rig/folder"
	"github.com/pdpp-host/pdpp-host/testplugins/rig/nobody"
)

func TestMain(m *testing.M) {
	nobody.Main(m, func(m *testing.M) int {
		if os.Getenv(hostIn) != "" {
			return hold()
		}
		code := m.Run()
		if err := goleak.Find(); code == 0 && err != nil {
			fmt.Fprintln(os.Stderr, err)
			code = 1
		}
		return code
	})
}

// program finds the browser of this machine. Without one the test is left out, and says so, or
// fails where PDPP_TEST_BROWSER=required.
func program(t testing.TB) string {
	t.Helper()
	path, err := find.Here("").Browser("")
	if err != nil {
		if os.Getenv("PDPP_TEST_BROWSER") == "required" {
			t.Fatalf("PDPP_TEST_BROWSER=required, and %v", err)
		}
		t.Skipf("NOT TESTED IN A BROWSER: %v", err)
	}
	return path
}

// everything admits what comes.
type everything struct{}

func (everything) Admit(context.Context, gate.Request, gate.Send) error { return nil }

// sites is a Dialer that knows where names are; any other is refused.
type sites map[string]string

func (s sites) Dial(ctx context.Context, hostport string) (net.Conn, error) {
	at := s[hostport]
	if at == "" {
		return nil, abi.NewError(abi.CodeBrowserRefused, "the test knows no "+hostport, "")
	}
	return new(net.Dialer).DialContext(ctx, "tcp", at)
}

// request asks for a browser of the test's own.
func request(t testing.TB) Request {
	t.Helper()
	return Request{
		Program: program(t), Profiles: filepath.Join(folder.New(t), "profiles"), Profile: "shop", Random: rand.Reader,
		Admitter: everything{}, Dialer: sites{}, Headers: egress.CheckHeaders,
	}
}

func acquire(t testing.TB, r Request) *Browser {
	t.Helper()
	b, err := Acquire(t.Context(), r)
	if err != nil {
		t.Fatalf("acquiring: %v", err)
	}
	t.Cleanup(func() {
		if err := b.Close(); err != nil {
			t.Errorf("closing: got %v, want nil", err)
		}
	})
	return b
}
