package browser_test

import (
	"testing"

	"github.com/pdpp-host/pdpp-host/testplugins/rig/browser"
)

func TestMain(m *testing.M) { browser.Main(m) }
