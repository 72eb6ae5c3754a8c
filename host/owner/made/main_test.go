package made_test

import (
	"testing"

	"github.com/pdpp-host/pdpp-host/testplugins/rig"
)

func TestMain(m *testing.M) { rig.Main(m) }
