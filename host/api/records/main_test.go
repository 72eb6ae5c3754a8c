package records

import (
	"testing"

	"go.uber.org/goleak"

	"github.com/pdpp-host/pdpp-host/testplugins/rig/pgtest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// TestPostgres runs the tests of this package once more on PostgreSQL (FL-01).
func TestPostgres(t *testing.T) {
	t.Parallel()
	pgtest.Again(t, "Fuzz.*")
}
