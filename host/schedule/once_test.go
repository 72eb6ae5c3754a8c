package schedule

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/storage"
)

func TestOnce(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, "due1", "due2", "due3", "fresh", "cooling", "paused", "refused", "odd")
		w.states["fresh"].Runs = []storage.RunEnd{{RunID: "r", Status: StatusSucceeded, StartedAt: time.Now(), FinishedAt: time.Now()}}
		w.press["cooling"] = Pressure{Run: &Gap{Reason: abi.ReasonUpstreamPressure, LastAttemptAt: time.Now()}}
		w.states["paused"].Schedule.Paused = true
		delete(w.policy, "odd")
		w.play = func(w *world, ctx context.Context, j Job) (storage.RunEnd, error) {
			if j.Connection.Name == "refused" {
				return refusing(abi.CodeRootMissing)(w, ctx, j)
			}
			return lasting(time.Minute, StatusSucceeded, "")(w, ctx, j)
		}
		began := time.Now()
		looked, err := w.scheduler().Once(t.Context())
		if err != nil || len(looked) != len(w.names) || w.most != 2 || time.Since(began) != 2*time.Minute {
			t.Fatalf("got %+v, %+v, %+v, %+v, want no error && len(looked) == len(w.names) && w.most == 2 && time.Since(began) == 2 * time.Minute", looked, err, w.most, time.Since(began))
		}
		for i, want := range []Looked{
			{Started: true}, {Started: true}, {Started: true}, {Reason: ReasonNotDue}, {Reason: ReasonCoolingDown},
			{Reason: ReasonPaused}, {Started: true}, {Reason: ReasonUnresolvable},
		} {
			got := looked[i]
			if got.Connection != w.names[i] || got.Started != want.Started || got.Reason != want.Reason {
				t.Errorf("got %+v, want got.Connection == w.names[i] && got.Started == want.Started && got.Reason == want.Reason", got)
			}
			if ended := got.Run != nil; ended != (want.Started && got.Err == nil) {
				t.Errorf("%s: got.Run != nil: got %+v, want %v", got.Connection, got, (want.Started && got.Err == nil))
			}
		}
		if !looked[4].At.Equal(began.Add(time.Hour)) || abi.CodeOf(looked[6].Err) != abi.CodeRootMissing || abi.CodeOf(looked[7].Err) != abi.CodePluginUnknown {
			t.Errorf("got %+v, want looked[4].At.Equal(began.Add(time.Hour)) && abi.CodeOf(looked[6].Err) == abi.CodeRootMissing && abi.CodeOf(looked[7].Err) == abi.CodePluginUnknown", looked)
		}
		// A look says the same, and changes nothing.
		writes := w.writes
		for i, n := range w.names[3:] {
			if n == "refused" {
				continue
			}
			l, err := w.scheduler().Look(t.Context(), storage.Connection{ID: n, Name: n})
			if err != nil || l.Reason != looked[3+i].Reason || w.writes != writes {
				t.Errorf("%s: %+v, %v, %d writes, want no error && l.Reason == looked[3+i].Reason && w.writes == writes", n, l, err, w.writes-writes)
			}
		}
		// Nothing is due right after it.
		w.starts = nil
		if _, err := w.scheduler().Once(t.Context()); err != nil || len(w.starts) != 0 {
			t.Errorf("w.scheduler().Once(t.Context()): got %+v, %+v, want no error && len(w.starts) == 0", w.starts, err)
		}
	})
}

func TestOnceIsStopped(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, "a", "b", "c")
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		looked, err := w.scheduler().Once(ctx)
		if err == nil || len(w.starts) != 2 || looked[2].Started {
			t.Errorf("got %v, %v, %+v, want err != nil && len(w.starts) == 2 && !looked[2].Started", err, w.starts, looked)
		}
		w.broken = errBroken
		if _, err := w.scheduler().Once(t.Context()); err == nil {
			t.Error("a store that fails is no pass")
		}
	})
}
