package storage

import (
	"flag"
	"os"
	"testing"

	"go.uber.org/goleak"
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
	_ = flag.Set("rapid.nofailfile", "true") // a failure prints its seed; the tree stays clean
	_ = flag.Set("rapid.checks", "50")       // the command line may ask for more
	goleak.VerifyTestMain(m)
}
