package main

import (
	"os"
	"testing"

	"github.com/pdpp-host/pdpp-host/testplugins/rig/story"
)

// The test binary is also the program under test: as pdpp-host, and as exe when
// it starts itself as a worker through /proc/self/exe.
func TestMain(m *testing.M) {
	story.Main(m, map[string]func(){"pdpp-host": mainLater, "exe": main})
}

// mainLater is main with the clock that a story has moved.
func mainLater() {
	now := story.Clock()
	if now == nil {
		main()
		return
	}
	a := newApp()
	a.Now = now
	os.Exit(a.main(os.Args[1:]))
}
