package verdict

import (
	"github.com/pdpp-host/pdpp-host/health"
	"github.com/pdpp-host/pdpp-host/health/stored"
)

// OfStored returns the verdict of a connection from its stored facts at a moment. It
// is the only way from the store to a surface: every surface that shows a connection
// calls it, or gets its result (HL-06, HL-21).
func OfStored(s *stored.Facts, m stored.Moment, runtimeOK bool) RenderedVerdict {
	return Synthesize(InputOf(s, m, runtimeOK))
}

// InputOf derives the input of a verdict from a connection's stored facts.
func InputOf(s *stored.Facts, m stored.Moment, runtimeOK bool) Input {
	e := s.Evidence(m)
	in := Input{Snapshot: health.Project(e), Refresh: e.Refresh, RuntimeOK: runtimeOK, FirstSignIn: e.Credentials.FirstSignIn(), RenewedRefused: s.RenewedRefused(), CannotBegin: s.CannotBegin(m), NeverRan: s.NeverRan(), FoundNothing: s.FoundNothing(), ReadNothing: s.ReadNothing(), Unexplained: s.Unexplained(), NotWhole: s.NotWhole(), LeftFiles: s.LeftFiles(), LeftSaid: s.LeftSaid(), FolderSaid: s.FolderSaid(), DeliverySaid: s.RefusedSaid(), Flawed: s.Flawed(m, ""), Cause: s.Cause(m)}
	if at := in.Snapshot.NextAttemptAt; at.After(m.Now.Time) {
		in.From = at.Clock(m.Now)
	}
	attention := in.requestOpen()
	for _, st := range s.StreamStates(m) {
		in.Streams = append(in.Streams, StreamRollup{
			StreamID: st.Name, Coverage: st.Coverage, Priority: priorityOf(&st), Considered: st.Considered, Collected: st.Collected,
			AttentionOpen: attention && st.Coverage != health.CoverageComplete,
			GapRetryable:  st.GapsOpen || retryable(st.Coverage), Flawed: s.Flawed(m, st.Name), Gone: st.Gone > 0, Stays: st.Stays,
		})
	}
	in.Progress = &ProgressEvidence{
		Mode: ProgressMode(ModeInput{
			LocalDeviceBacked: e.LocalDeviceBacked, Refresh: e.Refresh, Schedule: e.Schedule, HasRecoveredDetailGaps: s.Gaps.Recovered > 0,
		}),
		RecordsCommittedLastRun: s.Committed, GapsDrainedLastRun: s.Drained, RetainedRecords: s.Retained,
		LastRefreshedAt: s.RefreshedAt(), ObservedAt: m.Now,
	}
	in.Schedule = &Schedule{Mode: scheduleMode(&e), HasPriorSuccess: s.Succeeded != nil}
	return in
}

// scheduleMode returns how runs are started. A device starts its own runs; no schedule
// of this host affects them.
func scheduleMode(e *health.Evidence) ScheduleMode {
	switch {
	case e.LocalDeviceBacked:
		return ScheduleOnDevice
	case e.Schedule == nil:
		return ScheduleManual
	case e.Schedule.Enabled:
		return ScheduleActive
	}
	return ScheduleDisabled
}

func priorityOf(st *stored.StreamState) Priority {
	switch {
	case st.IsRequired():
		return Required
	case st.Absent():
		return AcceptedAbsence
	}
	return Optional
}

func retryable(a health.CoverageAxis) bool {
	return a == health.CoverageRetryableGap || a == health.CoveragePartial || a == health.CoverageGaps
}
