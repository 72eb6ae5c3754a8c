package sdk_test

import (
	"io/fs"
	"strings"
	"testing"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/sdk"
	"github.com/pdpp-host/pdpp-host/sdk/internal/link"
)

// rude is a host that answers START as scripted and everything else with 0.
type rude struct {
	start     string
	submit    int32
	waits     []int64 // results of wait, in turn; the last one for ever
	waitTakes time.Duration
	lastError string
	now       time.Time
	done      string
	answer    string
}

func (r *rude) Call(c link.Call, payload []byte) int32 {
	if c == link.Done {
		r.done = string(payload)
	}
	return abi.ResultOK
}

func (r *rude) Log(int32, []byte) {}

func (r *rude) Submit(int32, []byte) int32 {
	r.answer = r.start
	return r.submit
}

func (r *rude) Wait(int32) int64 {
	r.now = r.now.Add(r.waitTakes)
	w := r.waits[0]
	if len(r.waits) > 1 {
		r.waits = r.waits[1:]
	}
	return w
}

func (r *rude) Read(_ int32, dst []byte) int32 {
	n := copy(dst, r.answer)
	r.answer = r.answer[n:]
	return int32(n)
}

func (r *rude) LastError(dst []byte) int32 {
	copy(dst, r.lastError)
	return int32(len(r.lastError))
}

func (r *rude) Mount(string) fs.FS { return nil }
func (r *rude) Clock() time.Time   { return r.now }

var _ link.Native = (*rude)(nil)

// For any start of the host, the run ends with a DONE that reports it.
func TestRudeHosts(t *testing.T) {
	t.Parallel()
	const start = `{"type":"START","scope":{"streams":[]}}`
	answered := int64(1)<<32 | 1 // a length below the truth
	for what, c := range map[string]struct {
		host rude
		want string
	}{
		"fine":          {rude{start: start, submit: 1, waits: []int64{answered}}, `"succeeded"`},
		"other handles": {rude{start: start, submit: 1, waits: []int64{2 << 32, 3<<32 | 5, answered}}, `"succeeded"`},
		"slow":          {rude{start: start, submit: 1, waits: []int64{0, 0, answered}, waitTakes: time.Minute}, `"succeeded"`},
		"stopped":       {rude{start: start, submit: 1, waits: []int64{0}}, `"cancelled"`},
		"no start":      {rude{start: `{}`, submit: 1, waits: []int64{answered}}, `boundary.message_type`},
		"bad start":     {rude{start: `{`, submit: 1, waits: []int64{answered}}, `not JSON`},
		"bad bound": {rude{start: `{"type":"START","scope":{"streams":[{"name":"notes","time_range":{"since":"x"}}]}}`, submit: 1,
			waits: []int64{answered}}, `boundary.envelope`},
		"error": {rude{start: `{"error":{"code":"a.b","message":"m"}}`, submit: 1, waits: []int64{answered}}, `"code":"a.b"`},
		"refused": {rude{submit: -1, waits: []int64{0}, lastError: `{"code":"boundary.start_twice","message":"read already"}`},
			`"code":"boundary.start_twice","message":"read already: submit start`},
		"refused, silent":  {rude{submit: -1, waits: []int64{0}}, `"code":"internal.error"`},
		"refused, garbage": {rude{submit: 0, waits: []int64{0}, lastError: "\xff{"}, `"code":"internal.error"`},
		"refused, long":    {rude{submit: 0, waits: []int64{0}, lastError: strings.Repeat("x", abi.MaxErrorBytes+1)}, `"code":"internal.error"`},
		"nothing in flight": {rude{start: start, submit: 1, waits: []int64{-1}, lastError: `{"code":"c","message":"m"}`},
			`"code":"c"`},
	} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			host := c.host
			host.now = time.Unix(1, 0)
			if exit := sdk.Serve(collect(func(*sdk.Host) error { return nil }), &host); exit != 0 || !strings.Contains(host.done, c.want) {
				t.Errorf("exit %d, DONE %s, want %s", exit, host.done, c.want)
			}
		})
	}
}

type badManifest struct{ collect }

func (badManifest) Manifest() string { return "{" }

func TestBadManifest(t *testing.T) {
	t.Parallel()
	host := &rude{}
	sdk.Serve(badManifest{}, host)
	if !strings.Contains(host.done, string(abi.CodeManifestInvalid)) {
		t.Errorf("%v, want %v in it", host.done, string(abi.CodeManifestInvalid))
	}
}
