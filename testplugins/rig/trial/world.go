package trial

import (
	"net/http"
	"strings"
	"testing"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/sdk"
	"github.com/pdpp-host/pdpp-host/sdk/sdktest"
)

// Token is the credential of a World's provider. No message may contain it.
const Token = "secret-token"

// World is a connector, its clock, and the results of the runs so far at a host.
type World struct {
	Clock

	T     *testing.T
	State map[string]string // the committed cursors
	Rows  sdktest.Store

	connector sdk.Connector
	schemas   Schemas
	last      *sdktest.Result // the run before
}

// NewWorld returns a world without a provider, which may take its clock.
func NewWorld(t *testing.T, c sdk.Connector, s Schemas) *World {
	return &World{State: map[string]string{}, Rows: sdktest.Store{}, T: t, connector: c, schemas: s}
}

// Play does one run against a provider and keeps the results that a host would.
func (w *World) Play(provider http.Handler, change ...Change) *sdktest.Result {
	w.T.Helper()
	o := sdktest.Options{
		Provider: provider, State: w.State, Stored: w.Rows.Clone(), Credentials: map[string]bool{"token": true}, Now: w.Now,
	}
	if w.last != nil {
		o = w.last.Followed(o)
	}
	for _, c := range change {
		c(&o)
	}
	res := sdktest.Collect(w.T, w.connector, o)
	w.schemas.Conform(w.T, res)
	w.State = res.Committed()
	w.Rows.Apply(res)
	w.last = res
	for _, c := range res.Calls { // log lines are among them
		if strings.Contains(c.Payload, Token) {
			w.T.Error("the token is in a message")
		}
	}
	return res
}

// OK checks that a run succeeded.
func (w *World) OK(res *sdktest.Result) *sdktest.Result {
	w.T.Helper()
	if res.Exit != 0 || res.Done.Status != abi.DoneSucceeded {
		w.T.Fatalf("done %+v %+v, want Exit = 0 and Done.Status = %v", res.Done, res.Done.Error, abi.DoneSucceeded)
	}
	return res
}

// Holds checks that the store has exactly these keys of a stream.
func (w *World) Holds(stream string, keys ...string) {
	w.T.Helper()
	w.Rows.Holds(w.T, stream, keys...)
}
