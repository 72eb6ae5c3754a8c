package main

import (
	"sync"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/cmd/pdpp-host/internal/output"
	"github.com/pdpp-host/pdpp-host/host/run"
	"github.com/pdpp-host/pdpp-host/host/schedule"
)

// report writes one line an event. It never writes an error's wrapped text,
// which may quote anything: the code says what, `runs show` the rest.
func (s *server) report(e schedule.Event) {
	log := s.app.logger
	if e.Connection != "" {
		log = log.With("connection", output.Clean(e.Connection))
	}
	if e.Trigger != "" {
		log = log.With("trigger", string(e.Trigger))
	}
	switch e.Kind {
	case schedule.EventStarted:
		log.Info("run begins", "attempt", e.Attempt+1)
	case schedule.EventEnded:
		if r := e.Run; r != nil {
			log.Info("run ended", "status", r.Status, "code", output.Clean(r.Code), "run", r.RunID)
		}
	case schedule.EventRefused:
		problem := problemOf(e.Err)
		log.Warn("run refused", "code", problem.Code, "message", problem.Message, "hint", problem.Hint)
	case schedule.EventSkipped:
		args := []any{"reason", string(e.Reason)}
		if !e.Until.IsZero() {
			args = append(args, "until", e.Until.UTC().Format(time.RFC3339))
		}
		if e.Err != nil {
			args = append(args, "code", string(abi.CodeOf(e.Err)))
		}
		log.Info("not run", args...)
	case schedule.EventHealed:
		log.Info("its owner did what it waited for; one run confirms it")
	case schedule.EventTrouble:
		log.Warn("the store failed; tried again soon", "code", string(abi.CodeOf(e.Err)))
	case schedule.EventRecovers:
		log.Info("the store works again")
	case schedule.EventStopping:
		log.Info("stopping")
	}
}

// counts is what was run while a server served.
type counts struct {
	Runs   int64 `json:"runs"`
	Failed int64 `json:"failed"` // did anything else than succeed
}

// tally counts runs. It is safe for concurrent use.
type tally struct {
	mu sync.Mutex
	n  counts
}

func (t *tally) add(r *run.Result) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.n.Runs++
	if r.Status != run.StatusSucceeded {
		t.n.Failed++
	}
}

func (t *tally) counts() counts {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.n
}
