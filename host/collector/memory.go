package collector

import (
	"slices"
	"strings"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/host/collector/client"
	"github.com/pdpp-host/pdpp-host/host/run"
	"github.com/pdpp-host/pdpp-host/storage"
)

// Failed is an execution that could not begin, or could deliver nothing. The outbox
// does not hold it: there, nothing has happened. It may name a path and is for this
// machine alone.
type Failed struct {
	BeganAt time.Time `json:"began_at"`
	At      time.Time `json:"at"`
	Code    string    `json:"error_code"`
	Message string    `json:"message"`
	Hint    string    `json:"hint,omitempty"`
	// Delivering says that it is the host that could not be asked, or takes nothing;
	// else it is something on this machine that keeps the connector from running.
	Delivering bool `json:"delivering"`
	// Lasting says that no later execution does better unless somebody does something.
	Lasting bool `json:"lasting"`
}

// memory is what this machine keeps of a lane's executions for its owner, in a file
// beside the outbox, until one succeeds: the failure of the last, and the words and
// names of what the runs left, which are not for a host (LC-08.5).
type memory struct {
	SourceInstanceID string         `json:"source_instance_id"` // the file says nothing of another's
	Failed           *Failed        `json:"failed,omitempty"`
	Left             []run.KnownGap `json:"left,omitempty"`
	Public           bool           `json:"public_host,omitempty"`    // see lane.public
	Since            string         `json:"collects_since,omitempty"` // see RunResult.Since, of the last run that scanned
}

// maxLeft bounds how much is remembered of what was left.
const maxLeft = 100

// remember keeps what an execution came to, and returns all that is known then. One
// that was stopped, or typed wrong, says nothing new. lane is what is open after it;
// nil: it could not be read.
func (c *Collector) remember(began time.Time, r *RunResult, err error, lane *storage.LaneInfo) memory {
	m := c.recall()
	m.Public = c.lane.PublicOnly
	if r != nil && r.Run != nil {
		m.Since = r.Since
		m.leave(r.Run, lane)
	}
	switch {
	case r != nil && r.Outcome == OutcomeCancelled:
	case err != nil:
		if keeps(err) {
			m.Failed = failedWith(began, c.deps.Now(), problem(err), err)
		}
	case r.Undelivered() != nil:
		m.Failed = failedWith(began, c.deps.Now(), r.Undelivered(), nil)
	default:
		m.Failed = nil
	}
	c.keepMemory(m, r != nil)
	return m
}

// NotBegun keeps why an execution did not come as far as the collector.
func (c *Collector) NotBegun(err error) {
	now := c.deps.Now()
	m := c.recall()
	m.Failed = failedWith(now, now, problem(err), err)
	c.keepMemory(m, false)
}

// Forget drops what the last execution failed with: it was another credential's.
func (c *Collector) Forget() {
	m := c.recall()
	m.Failed = nil
	c.keepMemory(m, false)
}

// keeps reports whether the error belongs to an execution that the lane or its host could not
// make.
func keeps(err error) bool {
	code := abi.CodeOf(err)
	switch area, _, _ := strings.Cut(string(code), "."); {
	case code == abi.CodeStoreLocked: // another process goes on with it
		return false
	case code == storage.CodeLaneMismatch: // the file beside it is another's too
		return false
	case area == "delivery", area == "storage", area == "internal":
		return true
	}
	return refuses(err)
}

func failedWith(began, at time.Time, p *Problem, err error) *Failed {
	area, _, _ := strings.Cut(p.Code, ".")
	f := &Failed{BeganAt: began.UTC(), At: at.UTC(), Code: p.Code, Message: p.Message, Hint: p.Hint, Delivering: area == "delivery"}
	switch code := abi.Code(p.Code); code {
	case client.CodeUnreachable, client.CodePaused, client.CodeAnswer:
	case CodeStateRead:
		if reason, ok := client.FailureOf(err); ok {
			f.Lasting = reason.Class.Stops()
		}
	default:
		f.Lasting = true
	}
	return f
}

// leave replaces what is remembered by what a run left. Of what it did not look at,
// or may not have, or found to be missing for another reason too, the words of before
// stay as long as it is open.
func (m *memory) leave(r *run.Result, lane *storage.LaneInfo) {
	left := slices.Clone(r.KnownGaps)
	for _, old := range m.Left {
		again := slices.ContainsFunc(left, func(g run.KnownGap) bool { return g.Stream == old.Stream && g.Reason == old.Reason })
		if !again && isOpen(lane, &old) {
			left = append(left, old)
		}
	}
	m.Left = left[:min(len(left), maxLeft)]
}

// isOpen reports whether something that a run left is not done, as far as is known.
func isOpen(lane *storage.LaneInfo, g *run.KnownGap) bool {
	if lane == nil || lane.OpenTotal > int64(len(lane.Open)) {
		return true
	}
	return slices.ContainsFunc(lane.Open, func(o storage.OpenWork) bool { return o.Kind == kindUnit && says(g, o.Stream, o.Reason) })
}

// said is what a run said of an open part, nil when nothing is known.
func (m *memory) said(stream, reason string) *run.KnownGap {
	i := slices.IndexFunc(m.Left, func(g run.KnownGap) bool { return says(&g, stream, reason) })
	if i < 0 {
		return nil
	}
	return &m.Left[i]
}

// says reports whether a gap is an open part, whose reason is as the outbox writes it.
// Of one that says too much for a word there, nothing is known here.
func says(g *run.KnownGap, stream, reason string) bool {
	return g.Stream == stream && (g.Reason == reason || reason != storage.UnknownWord && storage.OutboxWord(g.Reason) == reason)
}

// Undelivered is why nothing of what waits was delivered, when the host cannot be
// reached or refuses it. A host that asks for a pause is well, and one that took a
// part is at work, unless it takes nothing more from this device, or refused the rest. nil: it
// was delivered, or something else than delivery failed.
func (r *RunResult) Undelivered() *Problem {
	d := r.Delivery
	if r.Outcome != OutcomeBacklog || d == nil {
		return nil
	}
	switch abi.Code(d.Code) {
	case client.CodeUnauthorized, client.CodeGone, client.CodeProtocol, client.CodeRefused:
		return d
	case client.CodePaused:
		return nil
	}
	if r.Delivered.Acknowledged > 0 {
		return nil
	}
	return d
}
