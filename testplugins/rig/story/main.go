package story

import (
	"fmt"
	"os"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
	"go.uber.org/goleak"

	"github.com/pdpp-host/pdpp-host/testplugins/rig/tree"
)

// Main is the TestMain of a program that has stories. The test binary is also
// the programs under test, by the name that it is started with.
func Main(m *testing.M, programs map[string]func()) { testscript.Main(checked{m}, programs) }

// checked runs the tests and then looks for goroutines that were left behind.
type checked struct{ m *testing.M }

func (c checked) Run() int {
	code := c.m.Run()
	if code == 0 {
		if err := goleak.Find(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			code = 1
		}
	}
	tree.Remove()
	return code
}
