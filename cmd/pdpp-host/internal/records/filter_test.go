package records

import (
	"testing"
	"time"

	"github.com/pdpp-host/pdpp-host/host/owner"
)

// A filter compares numbers as numbers, everything else as text, and the stream's own
// time where it has one.
func TestFilter(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	record := owner.Record{
		EmittedAt: "2026-11-19T00:00:00Z",
		Data:      []byte(`{"id":"a","n":10,"big":12345678901234567890,"done":true,"none":null,"at":"2026-11-01T00:00:00Z","in":{"x":"y"},"a.b":"c"}`),
	}
	for _, c := range []struct {
		f    filterFlags
		time string
		want bool
	}{
		{filterFlags{where: []string{"id=a"}}, "", true},
		{filterFlags{where: []string{"id=b"}}, "", false},
		{filterFlags{where: []string{"id=a", "n=11"}}, "", false},
		{filterFlags{where: []string{"n>9"}}, "", true},
		{filterFlags{where: []string{"n<9"}}, "", false},
		{filterFlags{where: []string{"n=10.0"}}, "", true},
		{filterFlags{where: []string{"n!=10"}}, "", false},
		{filterFlags{where: []string{"big=12345678901234567891"}}, "", false},
		{filterFlags{where: []string{"done=true"}}, "", true},
		{filterFlags{where: []string{"none=null"}}, "", true},
		{filterFlags{where: []string{"missing=null"}}, "", true},
		{filterFlags{where: []string{"missing<5"}}, "", false},
		{filterFlags{where: []string{"in.x=y"}}, "", true},
		{filterFlags{where: []string{"a.b=c"}}, "", true},
		{filterFlags{where: []string{"at>=2026-11-01"}}, "", true},
		{filterFlags{since: "7d"}, "", true},
		{filterFlags{since: "7d"}, "at", false},
		{filterFlags{since: "2026-11-01"}, "at", true},
		{filterFlags{until: "2026-11-01"}, "at", false},
		{filterFlags{since: "3w", until: "36h"}, "at", true},
		{filterFlags{since: "7d"}, "none", true},
	} {
		f, err := c.f.read(now)
		if err != nil {
			t.Fatalf("%+v: %v", c.f, err)
		}
		f.timeField = c.time
		if got := f.matches(&record); got != c.want {
			t.Errorf("%+v by time %q: %v, want %v", c.f, c.time, got, c.want)
		}
	}
	for _, bad := range []filterFlags{{where: []string{"x"}}, {where: []string{"=x"}}, {since: "d"}, {since: "-1d"}, {until: "99999999999d"}, {since: "4000000h"}, {since: "7m"}} {
		if f, err := bad.read(now); err == nil {
			t.Errorf("%+v is taken: %+v", bad, f)
		}
	}
}
