package storage

import (
	"flag"
	"os"
	"testing"

	"go.uber.org/goleak"

	"github.com/pdpp-host/pdpp-host/testplugins/rig/pgtest"
)

func TestMain(m *testing.M) {
	if path := os.Getenv(crashChildEnv); path != "" {
		crashChild(path)
		return
	}
	if path := os.Getenv(lockChildEnv); path != "" {
		lockChild(path)
		return
	}
	if ways := os.Getenv(copyChildEnv); ways != "" {
		copyChild(ways)
		return
	}
	_ = flag.Set("rapid.nofailfile", "true") // a failure prints its seed; the tree stays clean
	checks := "50"                           // the command line may ask for more
	if pgtest.Running() {
		checks = "15" // each statement is a round trip
	}
	_ = flag.Set("rapid.checks", checks)
	goleak.VerifyTestMain(m)
}
