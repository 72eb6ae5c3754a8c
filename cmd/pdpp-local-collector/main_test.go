package main

import (
	"fmt"
	"os"
	"testing"
	"time"

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

// The test binary is also the program under test: under its own name, and as exe
// when it starts itself as a worker through /proc/self/exe.
func TestMain(m *testing.M) {
	testscript.Main(checked{m}, map[string]func(){program: mainLater, "exe": main})
}

// laterEnv moves the clock of the program in a story, as in LATER=240h. The
// program itself reads no such thing.
const laterEnv = "LATER"

// mainLater is main with a clock that a story has moved.
func mainLater() {
	ahead, err := time.ParseDuration(os.Getenv(laterEnv))
	if err != nil {
		main()
		return
	}
	a := newApp()
	a.Now = func() time.Time { return time.Now().Add(ahead) }
	os.Exit(a.main(os.Args[1:]))
}
