package verdict

import (
	"cmp"

	"github.com/pdpp-host/pdpp-host/abi"
)

// Cause is what prevents the collection of a connection, according to its last run.
type Cause struct {
	Code  abi.Cause `json:"code"`
	Place string    `json:"place,omitempty"` // the service's host, with its port unless that is 443
	RunID string    `json:"run_id"`
}

// renderedCause returns the snapshot's cause in the form that a surface reads. Where something
// that only the owner can do comes first, what stopped the last run is not the cause of this
// state: it would stand as the cause of another one.
func (in *Input) renderedCause(actions []RequiredAction) *Cause {
	if len(actions) > 0 && (actions[0].Kind == AddInfo || actions[0].Kind == Reauth) {
		return nil
	}
	if c := in.Cause; in.cause() != nil {
		return &Cause{c.Cause, c.Place, c.RunID}
	}
	return nil
}

// cause holds the texts for a connection whose last run ended for a known cause. They
// replace the promise of data from another run, which cannot be made then.
type cause struct {
	forward, cta line
	place        string // fills the blank if the cause has no place
	owners       bool   // only the owner can end it
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

// cause returns the texts for the last run's cause; nil if it is unknown.
func (in *Input) cause() *cause {
	if in.Cause == nil {
		return nil
	}
	if c, known := causes[in.Cause.Cause]; known {
		return &c
	}
	return nil
}

// placeFor returns the value for the blank of a line; "" for a line without one.
func (in *Input) placeFor(l line) string {
	c := in.cause()
	switch {
	case l == forwardUnexplained:
		return cmp.Or(in.Unexplained, "something")
	case l == forwardNothingReadOf:
		return in.notRead()
	case l == forwardGapFiles:
		return in.LeftFiles
	case l == forwardFolderSaid:
		return in.FolderSaid
	case l == forwardGapSaid:
		return in.LeftSaid
	case l == forwardDelivery:
		return cmp.Or(in.DeliverySaid, "the details say what")
	case l == forwardResumableFrom:
		return in.From
	case l == forwardNotWhole:
		return cmp.Or(in.NotWhole, "something")
	case c == nil || c.forward != l:
		return ""
	case in.Cause.Place != "":
		return in.Cause.Place
	}
	return c.place
}

// isRun reports whether an action of the kind is just another run.
func (k Kind) isRun() bool { return k == RetryGap || k == RefreshNow || k == Backfill }
