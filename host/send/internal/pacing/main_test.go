package pacing

import (
	"flag"
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) {
	_ = flag.Set("rapid.nofailfile", "true") // a failure prints its seed; the tree stays clean
	goleak.VerifyTestMain(m)
}
