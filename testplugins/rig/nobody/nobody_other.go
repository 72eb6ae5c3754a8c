//go:build !linux

package nobody

import (
	"os"
	"testing"
)

// Main is the TestMain of a package: run runs its tests.
func Main(m *testing.M, run func(*testing.M) int) { os.Exit(run(m)) }
