package trial

import (
	"net/http"
	"strings"
	"testing"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/sdk"
	"github.com/pdpp-host/pdpp-host/sdk/sdktest"
	"github.com/pdpp-host/pdpp-host/testplugins/providers/fault"
)

// Provider is a simulated provider that keeps a list of requests.
type Provider interface {
	http.Handler
	Forget() // the requests so far
}

// Account is an account at a simulated provider, the faults before it, its
// clock, and the runs of a connector that is signed in to it.
type Account struct {
	Clock

	Faults *fault.Injector

	connector   sdk.Connector
	credentials map[string]bool
	schemas     Schemas
	forget      func()
}

// NewAccount returns an account without a provider, which may take its clock.
func NewAccount(c sdk.Connector, s Schemas, credentials map[string]bool) *Account {
	return &Account{connector: c, schemas: s, credentials: credentials}
}

// At puts the account at a provider.
func (a *Account) At(p Provider) { a.Faults, a.forget = fault.New(p, fault.Env{}), p.Forget }

// SignIn has a run use this account.
func (a *Account) SignIn(o *sdktest.Options) { o.Provider, o.Now = a.Faults, a.Now }

// Collect does a first run, which must succeed.
func (a *Account) Collect(t *testing.T, change ...Change) *sdktest.Result {
	t.Helper()
	res := a.Run(t, change...)
	a.schemas.Succeeded(t, res)
	return res
}

// Failing does a first run in which something may fail; its records conform.
func (a *Account) Failing(t *testing.T, change ...Change) *sdktest.Result {
	t.Helper()
	res := a.Run(t, change...)
	a.schemas.Conform(t, res)
	return res
}

// Run does a first run and checks nothing: a host may reject its records.
func (a *Account) Run(t *testing.T, change ...Change) *sdktest.Result {
	t.Helper()
	o := sdktest.Options{Credentials: a.credentials}
	a.SignIn(&o)
	for _, c := range change {
		c(&o)
	}
	return sdktest.Collect(t, a.connector, o)
}

// Again does the next run, which must succeed.
func (a *Account) Again(t *testing.T, res *sdktest.Result) *sdktest.Result {
	t.Helper()
	next := a.next(t, res, nil)
	a.schemas.Succeeded(t, next)
	return next
}

// Refresh does a full refresh after a run; it may fail, and its records conform.
func (a *Account) Refresh(t *testing.T, res *sdktest.Result) *sdktest.Result {
	t.Helper()
	next := a.next(t, res, FullRefresh)
	a.schemas.Conform(t, next)
	return next
}

// After does the incremental run after a full refresh, which must succeed.
func (a *Account) After(t *testing.T, res *sdktest.Result) *sdktest.Result {
	t.Helper()
	next := a.next(t, res, Incremental)
	a.schemas.Succeeded(t, next)
	return next
}

func (a *Account) next(t *testing.T, res *sdktest.Result, change Change) *sdktest.Result {
	t.Helper()
	a.forget()
	return res.SecondRun(t, change)
}

// Refused checks that a run ended with the code before it emitted anything of another
// account.
func Refused(t *testing.T, res *sdktest.Result, code string) {
	t.Helper()
	e := res.Done.Error
	if res.Done.Status != abi.DoneFailed || e.Code != code || string(e.RecoveryHint) != `"manual_action_required"` || e.Retryable {
		t.Fatalf("%+v %+v, want Done.Status = %v, e.Code = %v, string(e.RecoveryHint) = %s and not e.Retryable", res.Done, e, abi.DoneFailed, code, `"manual_action_required"`)
	}
	if len(res.All)+len(res.States)+len(res.Skips) != 0 || len(res.Requests) != 1 {
		t.Errorf("%d records, %d cursors, %d skips, %d requests, want len(res.All)+len(res.States)+len(res.Skips) = 0 and len(res.Requests) = 1", len(res.All), len(res.States), len(res.Skips), len(res.Requests))
	}
}

// WithoutAccount has a run go on from the cursors of another one as they were before
// the account was remembered in them.
func WithoutAccount(t *testing.T, res *sdktest.Result) Change {
	t.Helper()
	state := res.Committed()
	for stream, cursor := range state {
		from := strings.Index(cursor, `"account":`)
		if from < 0 {
			t.Fatalf("%s: %s, want from at least 0", stream, cursor)
		}
		state[stream] = cursor[:from] + cursor[from+strings.Index(cursor[from:], ",")+1:]
	}
	return func(o *sdktest.Options) { o.State = state }
}
