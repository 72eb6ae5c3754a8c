package health_test

import (
	"strings"
	"time"

	"pgregory.net/rapid"

	"github.com/pdpp-host/pdpp-host/health"
	"github.com/pdpp-host/pdpp-host/health/verdict"
)

// drawnNow is the moment of every drawn evidence that has one.
var drawnNow = health.At(time.Date(2031, 3, 9, 10, 0, 0, 0, time.UTC))

// wordSource draws a text from outside.
type wordSource func(*rapid.T) health.Word

// one draws one of the values.
func one[T any](t *rapid.T, name string, values ...T) T {
	return rapid.SampledFrom(values).Draw(t, name)
}

// maybe draws nil in about one of three cases.
func maybe[T any](t *rapid.T, name string, draw func() T) *T {
	if one(t, name, 0, 1, 2) == 0 {
		return nil
	}
	v := draw()
	return &v
}

// anyWord draws codes of every class, none, and odd texts.
func anyWord(t *rapid.T) health.Word {
	return one[health.Word](t, "word", "", "", "timeout", "auth_failed", "bad_credentials", "missing_browser_surface", "external_tool_unavailable",
		"rate_limited", "source_pressure", "failure:login_failed", "Odd Words!", "\x00", "connector_reported_failed")
}

func drawInstant(t *rapid.T, name string) health.Instant {
	h := one(t, name, -300, -2, -1, 0, 1, 2, 999)
	if h == 999 {
		return health.Instant{}
	}
	return health.At(drawnNow.Add(time.Duration(h) * time.Hour))
}

func drawCount(t *rapid.T, name string) *int64 {
	return maybe(t, name, func() int64 { return one[int64](t, name+" count", -1, 0, 0, 3, 2532) })
}

func drawCoverage(t *rapid.T) health.CoverageAxis {
	return one[health.CoverageAxis](t, "coverage", "complete", "complete", "complete", "partial", "retryable_gap", "terminal_gap", "gaps", "unsupported",
		"unavailable", "deferred", "inventory_only", "unknown", "odd", "")
}

func drawAttention(t *rapid.T, word wordSource) *health.Attention {
	return &health.Attention{
		ID: word(t), Lifecycle: one[health.AttentionAxis](t, "lifecycle", "open", "acknowledged", "in_progress", "odd"), ReasonCode: word(t),
		ActionTarget: word(t), ExpiresAt: drawInstant(t, "expires"), OwnerAction: word(t), ResponseContract: word(t), RunID: word(t),
		Sensitivity: one[health.Word](t, "sensitivity", "none", "secret", ""), NotificationState: word(t),
	}
}

func drawBackoff(t *rapid.T, word wordSource) *health.Backoff {
	return &health.Backoff{
		ConsecutiveFailures: one(t, "failures", 0, 1, 6, 7, 40), NextRunAt: drawInstant(t, "next run"), ReasonClass: word(t), RecordedAt: drawInstant(t, "recorded"),
	}
}

func drawRefresh(t *rapid.T) *health.Refresh {
	return maybe(t, "refresh", func() health.Refresh {
		return health.Refresh{
			BackgroundSafe:     maybe(t, "safe", func() bool { return rapid.Bool().Draw(t, "background safe") }),
			RecommendedMode:    one[health.Word](t, "mode", "automatic", "automatic", "manual", "paused", ""),
			InteractionPosture: one[health.Word](t, "posture", "none", "otp_likely", ""),
		}
	})
}

func drawEvidence(t *rapid.T, word wordSource) health.Evidence {
	e := health.Evidence{ObservedAt: drawnNow, LocalDeviceBacked: rapid.Bool().Draw(t, "device"), Refresh: drawRefresh(t)}
	if one(t, "observed", 0, 1, 2, 3) == 0 {
		e.ObservedAt = health.Instant{}
	}
	e.Run = maybe(t, "run", func() health.Run {
		status := one[health.RunStatus](t, "status", health.RunSucceeded, health.RunSucceeded, health.RunFailed, "", "odd")
		return health.Run{LatestStatus: status, ReasonCode: word(t), LastSuccessAt: drawInstant(t, "success")}
	})
	if one(t, "backoff", 0, 1, 2) == 0 {
		e.Backoff = drawBackoff(t, word)
	}
	if one(t, "attention", 0, 1, 2) == 0 {
		e.Attention = drawAttention(t, word)
	}
	e.Coverage = maybe(t, "coverage row", func() health.Coverage {
		return health.Coverage{Axis: drawCoverage(t), RequiredButAccepted: one(t, "contradiction", 0, 1, 2, 3) == 0, Streams: []string{"retry"}}
	})
	e.Freshness = maybe(t, "freshness row", func() health.FreshnessResult {
		return health.FreshnessResult{Axis: one[health.FreshnessAxis](t, "freshness", "fresh", "fresh", "stale", "unknown", "odd")}
	})
	e.Outbox = maybe(t, "outbox row", func() health.Outbox {
		return health.Outbox{
			Axis:  one[health.OutboxState](t, "outbox", "idle", "idle", "active", "stalled", "unknown", "odd"),
			Cause: one[health.StalledCause](t, "cause", "", health.CauseDeadLetterBacklog, health.CauseStateReadFailed, health.CauseStalePending, "odd"),
			Counts: maybe(t, "counts", func() health.OutboxCounts {
				return health.OutboxCounts{Pending: drawCount(t, "pending"), DeadLetter: drawCount(t, "dead"), StaleLeases: drawCount(t, "stale leases")}
			}),
			Left: one(t, "left", 0, 1, 2, 3) == 0,
		}
	})
	if one(t, "unreliable", 0, 1, 2, 3, 4) == 0 {
		e.Projection.UnreliableSources = []health.Word{word(t), "runs"}
	}
	e.Schedule = maybe(t, "schedule", func() health.Schedule { return health.Schedule{Enabled: one(t, "enabled", 0, 1, 2) > 0} })
	e.RemoteSurface = maybe(t, "surface", func() health.RemoteSurface {
		return health.RemoteSurface{
			Axis:        one[health.SurfaceAxis](t, "surface axis", "none", "none", "idle", "waiting", "leased", "failed", "unknown", "odd"),
			LeaseStatus: word(t), WaitReason: word(t), LeaseID: word(t), SurfaceID: word(t), ProfileKey: word(t), SurfaceHealth: word(t),
		}
	})
	e.Activity = maybe(t, "activity", func() health.Activity { return health.Activity{Active: rapid.Bool().Draw(t, "active")} })
	e.Credentials = maybe(t, "credentials", func() health.Credentials {
		return health.Credentials{
			Stored: rapid.Bool().Draw(t, "stored"), Removed: one(t, "removed", 0, 1, 2) == 0, Unconfirmed: one(t, "unconfirmed", 0, 1, 2) == 0,
			NeverIn: rapid.Bool().Draw(t, "never in"), Rejected: word(t),
		}
	})
	e.DetailGaps = maybe(t, "gaps", func() health.DetailGaps {
		return health.DetailGaps{
			Unreadable: one(t, "unreadable", 0, 1, 2, 3) == 0, Recovered: drawCount(t, "recovered"),
			Pending:   []health.PendingGap{{Reason: "rate_limited", AttemptCount: 2532, NextAttemptAfter: drawInstant(t, "attempt"), Stream: "retry"}, {Reason: "retry_exhausted"}},
			ReadLimit: maybe(t, "limit", func() int { return one(t, "read limit", 1, 2, 100) }),
		}
	})
	return e
}

// drawSecret draws a secret, and a text as a careless connector would write it.
func drawSecret(t *rapid.T) (secret, text string) {
	const letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
	part := func(n int) string {
		return rapid.StringOfN(rapid.SampledFrom([]rune(letters)), n, n, -1).Draw(t, "secret")
	}
	switch one(t, "form", "long", "assigned", "bearer", "prefixed") {
	case "long":
		secret = part(24) + part(8)
		text = "rejected " + secret + " by the source"
	case "assigned":
		secret = part(10)
		name := one(t, "name", "token", "api_key", "Password", "cookie", "credential", "Authorization", "client_secret", "session_id", "cookies: sid", "user[password]", "passphrase", "Tokens")
		text = name + one(t, "assigned by", "=", ": ", " = ", `":"`, "%3D", "->", "\n=", "`=") + secret
	case "bearer":
		secret = part(10)
		text = one(t, "scheme", "Bearer ", "bearer ", "BASIC ") + secret
	default:
		secret = part(9) + "7x"
		text = "got " + one(t, "maker", "ghp_", "sk_live_", "xoxb-", "glpat-", "AKIA", "eyJ") + secret
	}
	return strings.ToLower(secret), text
}

func drawHeartbeat(t *rapid.T) health.Heartbeat {
	d := func() health.OutboxDiagnostics {
		return health.OutboxDiagnostics{Pending: drawCount(t, "pending"), DeadLetter: drawCount(t, "dead letter"), OldestPendingAt: drawInstant(t, "oldest")}
	}
	h := health.Heartbeat{
		DeviceStatus: one[health.Word](t, "device", "active", "active", "revoked"), SourceStatus: one[health.Word](t, "source", "active", "active", "inactive"),
		LastHeartbeatAt: drawInstant(t, "heartbeat"), LastHeartbeatStatus: one[health.Word](t, "status", "blocked", "healthy", "retrying", "starting", "stopped", "odd", ""),
		RecordsPending: drawCount(t, "records"), OutboxDiagnostics: maybe(t, "diagnostics", d),
	}
	if one(t, "revoked", 0, 1, 2, 3) == 0 {
		h.DeviceRevokedAt = drawnNow
	}
	return h
}

// drawInput draws what a verdict is made of, around the snapshot of e. A stream
// may be called what a sentence must not claim.
func drawInput(t *rapid.T, e health.Evidence) verdict.Input {
	in := verdict.Input{Snapshot: health.Project(e), Refresh: e.Refresh, RuntimeOK: one(t, "runtime", 0, 1, 2) > 0, Attention: e.Attention, FirstSignIn: e.Credentials.FirstSignIn()}
	for _, id := range []string{"retry", "resumes", "dead-letter"}[:one(t, "streams", 0, 1, 2, 3)] {
		in.Streams = append(in.Streams, drawStream(t, id))
	}
	in.Schedule = maybe(t, "schedule", func() verdict.Schedule {
		return verdict.Schedule{
			Mode:            one(t, "schedule mode", verdict.ScheduleActive, verdict.ScheduleActive, verdict.ScheduleDisabled, verdict.ScheduleManual, verdict.ScheduleOnDevice),
			HasPriorSuccess: rapid.Bool().Draw(t, "prior"),
		}
	})
	in.Progress = maybe(t, "progress", func() verdict.ProgressEvidence {
		return verdict.ProgressEvidence{
			Mode:                    one[verdict.Mode](t, "progress mode", verdict.ModeScheduled, verdict.ModeManual, verdict.ModeDeferred, verdict.ModeLocalDevice, "odd"),
			RecordsCommittedLastRun: drawCount(t, "committed"), GapsDrainedLastRun: drawCount(t, "drained"), RetainedRecords: drawCount(t, "retained"),
			LastRefreshedAt: drawInstant(t, "refreshed"), ObservedAt: drawnNow,
		}
	})
	return in
}

func drawStream(t *rapid.T, id string) verdict.StreamRollup {
	return verdict.StreamRollup{
		StreamID: id, Coverage: drawCoverage(t), Priority: one(t, "priority", verdict.Required, verdict.Required, verdict.Optional, verdict.AcceptedAbsence),
		AttentionOpen: one(t, "stream attention", 0, 1, 2, 3) == 0, GapRetryable: rapid.Bool().Draw(t, "retryable"),
		Considered: drawCount(t, "considered"), Collected: drawCount(t, "collected"),
	}
}
