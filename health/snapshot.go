package health

import (
	"slices"

	"github.com/pdpp-host/pdpp-host/abi"
)

// Badges accompany the headline and are never a state of their own.
type Badges struct {
	Stale   bool `json:"stale"`
	Syncing bool `json:"syncing"`
}

// Snapshot is the projection of one connection's evidence. Only the owner sees it: a
// grant-scoped client gets no part of it (HL-06.2).
type Snapshot struct {
	State                  State       `json:"state"`
	ReasonCode             Word        `json:"reason_code"`
	Axes                   Axes        `json:"axes"`
	Badges                 Badges      `json:"badges"`
	Conditions             []Condition `json:"conditions"`
	DominantConditionID    Word        `json:"dominant_condition_id"`
	SupportingConditionIDs []string    `json:"supporting_condition_ids"`
	ForwardDisposition     Disposition `json:"forward_disposition"`
	LastSuccessAt          Instant     `json:"last_success_at"`
	NextAttemptAt          Instant     `json:"next_attempt_at"`
	DetailGapBacklog       *Backlog    `json:"detail_gap_backlog"`
	// OutboxCounts is set for local-device connections only (HL-11).
	OutboxCounts   *OutboxCounts  `json:"outbox_counts"`
	CollectionRate abi.Raw        `json:"collection_rate,omitempty"`
	RemoteSurface  *RemoteSurface `json:"remote_surface"`
	NextAction     *NextAction    `json:"next_action"`
	UnknownReasons []Word         `json:"unknown_reasons"`
}

// Project derives the snapshot of one connection. It is pure: equal evidence gives
// deeply equal snapshots, which share no memory with the evidence except the
// passed-through collection rate.
//
// Health and verdict are functions of stored evidence only (Invariant 7), and unknown
// is never healthy (Invariant 8).
func Project(e Evidence) Snapshot {
	f := newFacts(&e)
	c := f.conditions()
	h := f.headline(c)
	s := Snapshot{
		State: h.state, ReasonCode: h.reason, Axes: f.axes, Conditions: c,
		Badges:           Badges{Stale: f.axes.Freshness == FreshnessStale, Syncing: e.Activity != nil && e.Activity.Active},
		NextAttemptAt:    f.nextAttempt(c),
		DetailGapBacklog: DetailGapBacklog(e.DetailGaps),
		CollectionRate:   e.CollectionRate,
		RemoteSurface:    f.remoteSurface(),
		NextAction:       f.nextAction(h.state),
		UnknownReasons:   f.unknownReasons(h, c),
	}
	s.ForwardDisposition = ForwardDisposition(DispositionInput{
		Coverage: f.axes.Coverage, Freshness: f.axes.Freshness, AttentionOpen: c[atAttention].is(False),
		GapRetryable: f.axes.Coverage == CoverageRetryableGap, Accepted: !f.coverage.RequiredButAccepted, Refresh: e.Refresh,
	})
	if e.Run != nil {
		s.LastSuccessAt = e.Run.LastSuccessAt
	}
	if e.LocalDeviceBacked && e.Outbox != nil {
		s.OutboxCounts = e.Outbox.Counts.clone()
	}
	if h.by >= 0 {
		s.DominantConditionID = Word(c[h.by].ID)
	}
	s.SupportingConditionIDs = supporting(c, h.by)
	return s
}

// maxSupporting bounds the number of conditions that support a headline.
const maxSupporting = 6

// supporting returns the dominant condition and the others that are not plainly good,
// in their order.
func supporting(c []Condition, dominant int) []string {
	ids := make([]string, 0, maxSupporting)
	if dominant >= 0 {
		ids = append(ids, c[dominant].ID)
	}
	for i := range c {
		if i != dominant && len(ids) < maxSupporting && (c[i].Status != True || c[i].Severity != Info) {
			ids = append(ids, c[i].ID)
		}
	}
	return ids
}

// nextAttempt returns the scheduler's next attempt, if it gives one.
func (f *facts) nextAttempt(c []Condition) Instant {
	if !f.waiting || c[atSchedule].is(False) {
		return Instant{}
	}
	return f.backoff.NextRunAt
}

// remoteSurface copies the surface's evidence; its words pass reasonOf.
func (f *facts) remoteSurface() *RemoteSurface {
	if f.Evidence.RemoteSurface == nil {
		return nil
	}
	s := *f.Evidence.RemoteSurface
	s.Axis = f.axes.RemoteSurface
	s.LeaseStatus, _ = reasonOf(s.LeaseStatus, "")
	s.WaitReason, _ = reasonOf(s.WaitReason, "")
	s.SurfaceHealth, _ = reasonOf(s.SurfaceHealth, "")
	s.LeaseID, s.SurfaceID, s.ProfileKey = Identity(s.LeaseID), Identity(s.SurfaceID), Identity(s.ProfileKey)
	return &s
}

// unknownReasons names the missing evidence.
func (f *facts) unknownReasons(h headline, c []Condition) []Word {
	if h.state != StateUnknown {
		return nil
	}
	if h.by != atProjection {
		if h.by < 0 {
			return nil
		}
		return []Word{c[h.by].Reason}
	}
	var names []Word
	for _, source := range f.Projection.UnreliableSources {
		if name, _ := reasonOf(source, "unnamed_source"); !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}
