package oauth

import (
	"testing"

	"go.uber.org/goleak"

	"github.com/pdpp-host/pdpp-host/testplugins/rig/pgtest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// TestPostgres runs the tests of this package once more on PostgreSQL (FL-01). With -short only
// the tests of the store do that: what stands above a store is the same.
func TestPostgres(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("the same on another store")
	}
	pgtest.Again(t, "Fuzz.*")
}
