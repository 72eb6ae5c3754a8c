package read

import (
	"flag"
	"testing"

	"go.uber.org/goleak"

	"github.com/pdpp-host/pdpp-host/testplugins/rig/pgtest"
)

func TestMain(m *testing.M) {
	_ = flag.Set("rapid.nofailfile", "true") // a failure prints its seed; the tree stays clean
	checks := "30"                           // the command line may ask for more
	if pgtest.Running() {
		checks = "8" // each statement is a round trip
	}
	_ = flag.Set("rapid.checks", checks)
	goleak.VerifyTestMain(m)
}

// TestPostgres runs the tests of this package once more on PostgreSQL (FL-01).
func TestPostgres(t *testing.T) {
	t.Parallel()
	pgtest.Again(t, "Fuzz.*")
}
