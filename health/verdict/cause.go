package verdict

import "github.com/pdpp-host/pdpp-host/abi"

// Cause is what keeps a connection from being collected, as far as its last run tells.
type Cause struct {
	Code  abi.Cause `json:"code"`
	Place string    `json:"place,omitempty"` // the service's host, and its port where that is not 443
	RunID string    `json:"run_id"`
}

// renderedCause is the snapshot's cause, as a surface reads it.
func (in *Input) renderedCause() *Cause {
	if c := in.Cause; in.cause() != nil {
		return &Cause{c.Cause, c.Place, c.RunID}
	}
	return nil
}

// cause holds the words about a connection whose last run ended for a known cause. They
// replace the promise of what another run would fetch, which nobody can make then.
type cause struct {
	forward, cta line
	place        string // what fills the blank when the place is not known
	owners       bool   // nothing ends it without the owner
}

var causes = map[abi.Cause]cause{
	abi.CauseNameUnresolved:    {forwardName, ctaNetwork, "of the service", false},
	abi.CauseConnectionRefused: {forwardRefused, ctaService, "The service", false},
	abi.CauseHostUnreachable:   {forwardUnreachable, ctaNetwork, "the service", false},
	abi.CauseTLSFailed:         {forwardTLS, ctaTLS, "the service", false},
	abi.CauseNoAnswer:          {forwardNoAnswer, ctaNetwork, "The service", false},
	abi.CauseServiceFails:      {forwardFails, ctaService, "The service", false},
	abi.CauseDiskFull:          {forwardDisk, ctaDisk, "", true},
	abi.CauseConnectorCrashed:  {forwardCrashed, ctaCrashed, "", false},
	abi.CauseWorkerKilled:      {forwardKilled, ctaKilled, "", false},
	abi.CauseHostStopped:       {forwardCut, ctaCut, "", false},
}

// cause returns what is said; nil where nothing is known.
func (in *Input) cause() *cause {
	if in.Cause == nil {
		return nil
	}
	if c, known := causes[in.Cause.Cause]; known {
		return &c
	}
	return nil
}

// place is what fills the blank of a line about a cause; "" for any other line.
func (in *Input) place(l line) string {
	c := in.cause()
	switch {
	case c == nil || c.forward != l:
		return ""
	case in.Cause.Place != "":
		return in.Cause.Place
	}
	return c.place
}

// runs reports whether an action of the kind is nothing but another run.
func (k Kind) runs() bool { return k == RetryGap || k == RefreshNow || k == Backfill }
