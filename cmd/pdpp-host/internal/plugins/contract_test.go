package plugins

import (
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// The contract suite gives a module the variables that carry its own name, and no other.
func TestSuiteEnvironment(t *testing.T) {
	t.Parallel()
	suite := suiteEnvironment(func(name string) string { return "value of " + name })
	for name, want := range map[string]string{"MY_APP_TOKEN": "value of MY_APP_TOKEN", "AWS_SECRET_ACCESS_KEY": "", "MY_APPLE_TOKEN": ""} {
		if got := suite("my-app", name); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
}
