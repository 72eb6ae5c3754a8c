package schedule

import (
	"strings"
	"testing"

	"github.com/pdpp-host/pdpp-host/abi"
)

// A connector chooses the words of its own failure: they only affect decisions about
// its own connection, always produce a decision, and never end the scheduler.
func FuzzConnectorsWords(f *testing.F) {
	for _, s := range []string{"", "demo_http_404", "demo_http_503", "demo_http_", "_http_429_http_500", "demo_rate_limited", "files.root_missing", "a:b:c", "\x00"} {
		f.Add(string(abi.ReasonConnectorReportedFailed), s, "refresh_credentials")
		f.Add(s, s, s)
	}
	f.Fuzz(func(t *testing.T, reason, code, hint string) {
		e := Ended{Status: StatusFailed, Class: FailureClass(reason, code), Code: code, RecoveryHint: hint, Retryable: true, FinishedAt: clock("12:00")}
		if Retried(e) && (strings.HasSuffix(code, "_http_404") || strings.HasSuffix(code, "_rate_limited") || hint == "refresh_credentials") {
			t.Errorf(`%q %q %q is tried again, want !Retried(e) || !strings.HasSuffix(code, "_http_404") && !strings.HasSuffix(code, "_rate_limited") && hint != "refresh_credentials"`, reason, code, hint)
		}
		if o := FindObstacle([]Ended{e}); o != nil {
			if a := o.Action(); !a.OwnerSatisfiable() || o.Kind == NoFolder || o.Kind == OtherModule {
				t.Errorf("o.Action(): got %q %q %q: %+v, want a.OwnerSatisfiable() && o.Kind != NoFolder && o.Kind != OtherModule", reason, code, hint, o)
			}
		}
		streak := []Ended{e, e, e}
		if b := FailureBackoff(streak, 0, clock("12:00")); b.Failures != 3 || b.Until.IsZero() {
			t.Errorf(`FailureBackoff(streak, 0, clock("12:00")): got %+v, want b.Failures == 3 && !b.Until.IsZero()`, b)
		}
	})
}
