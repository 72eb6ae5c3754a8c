package trial_test

import (
	"fmt"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/sdk/sdktest"
	"github.com/pdpp-host/pdpp-host/testplugins/rig/trial"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const manifest = `{"streams":[
{"name":"days","schema":{"type":"object","properties":{"at":{"type":"string","format":"date"}}}},
{"name":"sizes","schema":{"type":"object","properties":{"n":{"type":"integer","maximum":9}}}}]}`

// judged records the failures of a check.
type judged struct {
	testing.TB

	list []string
}

func (*judged) Helper()                     {}
func (j *judged) Errorf(f string, a ...any) { j.list = append(j.list, fmt.Sprintf(f, a...)) }
func (j *judged) Fatalf(f string, a ...any) { j.list = append(j.list, "fatal: "+fmt.Sprintf(f, a...)) }
func (j *judged) says(f func(testing.TB)) string {
	j.list = nil
	f(j)
	return strings.Join(j.list, "|")
}

// The records that the check of all first-party records accepts, and those that it
// refuses.
func TestSchemas(t *testing.T) {
	t.Parallel()
	s, j := trial.SchemasOf(manifest), &judged{TB: t}
	rec := func(stream, data string) sdktest.Record {
		return sdktest.Record{Stream: stream, Key: "k", Data: []byte(data)}
	}
	for _, c := range []struct {
		rec  sdktest.Record
		want string // a part of the failure, "" for none
	}{
		{rec("days", `{"at":"2026-01-02"}`), ""},
		{rec("days", `{"at":"yesterday"}`), "days k:"},
		{rec("sizes", `{"n":9}`), ""},
		{rec("sizes", `{"n":10}`), "sizes k:"},
		{sdktest.Record{Stream: "sizes", Key: "k", Delete: true}, ""},
	} {
		res := &sdktest.Result{All: []sdktest.Record{c.rec}}
		for status, ends := range map[string][2]bool{ // fit for Succeeded, for Sound
			abi.DoneSucceeded: {true, true}, abi.DoneCancelled: {false, true}, abi.DoneFailed: {},
		} {
			res.Done.Status = status
			for i, f := range []func(testing.TB){
				func(t testing.TB) { s.Succeeded(t, res) }, func(t testing.TB) { s.Sound(t, res) },
			} {
				got := j.says(f)
				if strings.HasPrefix(got, "fatal: ") == ends[i] || !strings.Contains(got, c.want) || c.want == "" && ends[i] && got != "" {
					t.Errorf("%s %s, check %d says %q, want %q in it", c.rec.Data, status, i, got, c.want)
				}
			}
		}
		if got := j.says(func(t testing.TB) { s.Conform(t, res) }); (got == "") != (c.want == "") || !strings.HasPrefix(got, c.want) {
			t.Errorf("%s: %q, want %q at its start", c.rec.Data, got, c.want)
		}
	}
}
