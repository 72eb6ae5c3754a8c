package stored

import (
	"slices"
	"strings"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/health"
)

// Surface is the browser of a run that has not ended.
type Surface struct {
	Waits   health.Word `json:"waits,omitempty"` // the code of what the run waits for; "": it has its browser
	Profile health.Word `json:"profile"`
}

// How a connector uses a browser.
const (
	BrowserRequired = "required"
	BrowserOptional = "optional"
)

// The states of a lease of the browser.
const (
	leaseWaiting health.Word = "waiting"
	leaseLeased  health.Word = "leased"
	surfaceReady health.Word = "ready"
)

// surfaceFaults are the ends of a run whose browser failed. Another run may do better.
var surfaceFaults = []health.Word{health.Word(abi.CodeBrowserStart), health.Word(abi.CodeBrowserUnstable), health.Word(abi.CodeBrowserMemory)}

// surfaceWaits are what a run waits for before it has a browser.
var surfaceWaits = []health.Word{health.Word(abi.CodeBrowserProfileBusy), health.Word(abi.CodeBrowserSlots)}

// surface returns the state of the connection's browser; nil: it has none, or no run has told
// of it. A run that is going on says how it is, and else the last one that ended.
func (s *Facts) surface(m Moment) *health.RemoteSurface {
	if s.Manifest == nil && (slices.Contains(s.Unreadable, "evidence") || slices.Contains(s.Unreadable, "manifest")) {
		return &health.RemoteSurface{Axis: health.SurfaceUnknown} // nobody knows whether it uses one
	}
	if s.Manifest == nil || s.Manifest.Browser == "" || s.Device != nil {
		return nil
	}
	if now := s.Surface; now != nil && s.Running() && m.RunAlive {
		r := &health.RemoteSurface{Axis: health.SurfaceLeased, LeaseStatus: leaseLeased, ProfileKey: now.Profile}
		if now.Waits != "" {
			r.Axis, r.LeaseStatus, r.WaitReason = health.SurfaceWaiting, leaseWaiting, now.Waits
		}
		return r
	}
	switch run := s.decidingRun(); {
	case run == nil, waitReason(s.refusal()) == waitsForBrowser: // there was one, and there is none now
	case slices.Contains(surfaceFaults, run.Reason):
		return &health.RemoteSurface{Axis: health.SurfaceFailed, WaitReason: run.Reason}
	case slices.Contains(surfaceWaits, run.Reason):
		return &health.RemoteSurface{Axis: health.SurfaceWaiting, LeaseStatus: leaseWaiting, WaitReason: run.Reason}
	case s.Succeeded != nil && s.Manifest.Browser == BrowserRequired && !run.lacksBrowser():
		// No run of it has begun without one.
		return &health.RemoteSurface{Axis: health.SurfaceIdle, SurfaceHealth: surfaceReady}
	}
	return nil
}

// noBrowserRuntime ends the reason of a run that had no browser, in each form that it is kept in.
const noBrowserRuntime = "browser_runtime_not_configured"

// lacksBrowser reports whether the run had no browser that this host may use.
func (r *Run) lacksBrowser() bool {
	return r.Status == health.Word(health.RunFailed) && strings.HasSuffix(string(r.Reason), noBrowserRuntime)
}
