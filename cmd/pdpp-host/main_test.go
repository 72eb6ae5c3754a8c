package main

import (
	"fmt"
	"os"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
	"go.uber.org/goleak"
)

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
	removeBuilt()
	return code
}

// The test binary is also the program under test: as pdpp-host, and as exe when
// it starts itself as a worker through /proc/self/exe.
func TestMain(m *testing.M) {
	testscript.Main(checked{m}, map[string]func(){"pdpp-host": mainLater, "exe": main})
}
