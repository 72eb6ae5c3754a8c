package health

// State is the headline of a snapshot.
type State string

// The headline states.
const (
	StateUnknown        State = "unknown"
	StateIdle           State = "idle"
	StateNeedsAttention State = "needs_attention"
	StateBlocked        State = "blocked"
	StateCoolingOff     State = "cooling_off"
	StateDegraded       State = "degraded"
	StateHealthy        State = "healthy"
)

// headline is a state, its reason, and the condition that decided it (-1: none).
type headline struct {
	state  State
	reason Word
	by     int
}

// headline returns the state: the first test that matches wins.
func (f *facts) headline(c []Condition) headline {
	at := func(s State, i int) headline { return headline{s, c[i].Reason, i} }
	paused := c[atSchedule].is(False)
	switch {
	case c[atProjection].is(False):
		return headline{StateUnknown, "", atProjection}
	case c[atAttention].is(False):
		return at(StateNeedsAttention, atAttention)
	// A pause hides conditions that concern a schedule. A connector that only its
	// owner runs does not use the schedule, so its pause hides nothing (HL-15).
	case paused && !f.manual:
		return headline{StateIdle, "", atSchedule}
	case c[atCredentials].blocking() && (!c[atCollection].is(True) || f.Credentials.WasRemoved()):
		return at(StateBlocked, atCredentials)
	case !c[atCollection].is(True) && c[atRuntime].blocking():
		return at(StateBlocked, atRuntime)
	case c[atRetry].blocking():
		return at(StateBlocked, atRetry)
	case c[atRetry].is(False):
		return at(StateCoolingOff, atRetry)
	}
	if by := degrading(c); by >= 0 {
		return headline{StateDegraded, f.degradedReason(c), by}
	}
	return f.quiet(c, paused)
}

// quiet returns the state of a connection without a problem.
func (f *facts) quiet(c []Condition, paused bool) headline {
	uploading := c[atExporter].is(True) && c[atBacklog].is(False)
	good := c[atCollection].is(True) && c[atCoverage].is(True)
	switch {
	case good && f.Credentials.unconfirmed():
		return headline{StateUnknown, "", atCredentials}
	case good && f.undelivered():
		return headline{StateUnknown, "", atBacklog}
	case good && c[atFresh].is(False) && f.axes.RemoteSurface != SurfaceUnknown:
		// Only a manual connector's staleness is not degrading (HL-15.1).
		return headline{StateIdle, c[atFresh].Reason, atFresh}
	case paused:
		return headline{StateIdle, "", atSchedule}
	case c[atCollection].is(Unknown) && c[atFresh].is(True) && !uploading:
		return headline{StateUnknown, "", atCollection}
	case c[atSurface].is(Unknown) && f.axes.RemoteSurface == SurfaceUnknown:
		return headline{StateUnknown, "", atSurface}
	case c[atCollection].is(Unknown):
		return headline{StateIdle, "", -1}
	case good && c[atFresh].is(True):
		// A false condition here has severity info, otherwise it would degrade the
		// connection.
		return headline{StateHealthy, "", -1}
	}
	return headline{StateUnknown, "", firstUnknown(c)}
}

// degradingOrder is the order in which conditions explain a degraded connection. The
// missing ones are policy, or have their own state.
var degradingOrder = [...]int{atRuntime, atSurface, atExporter, atCoverage, atFresh, atBacklog, atCollection}

// degrading returns the condition that degrades the connection, or -1.
func degrading(c []Condition) int {
	for _, i := range degradingOrder {
		if c[i].is(False) && c[i].Severity != Info {
			return i
		}
	}
	return -1
}

// degradedReason returns the run's own reason, else the surface's.
func (f *facts) degradedReason(c []Condition) Word {
	if c[atCollection].is(False) && f.run.ReasonCode != "" {
		if isContractWord(f.run.ReasonCode) {
			return f.run.ReasonCode
		}
		return c[atCollection].Reason
	}
	if c[atSurface].is(False) {
		return "remote_surface:" + c[atSurface].Reason
	}
	return ""
}

// firstUnknown returns the most important condition without an answer.
func firstUnknown(c []Condition) int {
	for _, i := range [...]int{atCollection, atCoverage, atFresh, atSurface, atRuntime} {
		if c[i].is(Unknown) {
			return i
		}
	}
	for i := range c {
		if c[i].is(Unknown) {
			return i
		}
	}
	return -1
}
