package sdktest_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/pdpp-host/pdpp-host/sdk"
	"github.com/pdpp-host/pdpp-host/sdk/sdktest"
)

// logged records the log of a test.
type logged struct {
	testing.TB

	list []string
}

func (*logged) Helper() {}
func (l *logged) Logf(format string, args ...any) {
	l.list = append(l.list, fmt.Sprintf(format, args...))
}

func TestFailedRunSaysWhy(t *testing.T) {
	t.Parallel()
	for want, collect := range map[string]connector{
		"": func(*sdk.Host) error { return nil },
		"sdktest: the run failed: no such list [demo_gone]": func(*sdk.Host) error {
			return &sdk.Failure{Code: "demo_gone", Message: "no such list"}
		},
		"sdktest: the run cancelled, and pdpp_collect returned 0": func(*sdk.Host) error { return sdk.ErrStopped },
	} {
		log := &logged{TB: t}
		r := sdktest.Collect(log, collect, sdktest.Options{})
		if got := strings.Join(log.list, "|"); got != want || "sdktest: "+r.Failure() != want && r.Failure() != want {
			t.Errorf("logged %q, and Failure is %q; want %q", got, r.Failure(), want)
		}
	}
}
