package serve

import (
	"fmt"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/cmd/internal/output"
	"github.com/pdpp-host/pdpp-host/cmd/pdpp-host/internal/session"
	"github.com/pdpp-host/pdpp-host/cmd/pdpp-host/internal/show"
	"github.com/pdpp-host/pdpp-host/host/owner/serving"
	"github.com/pdpp-host/pdpp-host/host/schedule"
)

// report writes one line an event. It never writes an error's wrapped text,
// which may quote anything: the code says what, `runs show` the rest.
func report(s *session.Session, e schedule.Event) {
	log := s.Logger
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
		problem := output.ProblemOf(e.Err)
		log.Warn("run refused", "code", problem.Code, "message", problem.Message, "hint", s.Advice(problem.Hint))
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
		log.Info(healedText(e))
	case schedule.EventTrouble:
		log.Warn("the store failed; tried again soon", "code", string(abi.CodeOf(e.Err)))
	case schedule.EventRecovers:
		log.Info("the store works again")
	case schedule.EventStopping:
		log.Info("stopping")
	}
}

// healed says what an owner did, as far as it can be seen: that it was enough is
// for a run to say.
var healed = map[schedule.Healed]string{
	schedule.HealedPause:                     "its owner ended the pause",
	schedule.HealedElsewhere:                 "its module or the configuration is another one than it was refused with",
	schedule.Healed(schedule.BadCredentials): "its credentials may be new",
	schedule.Healed(schedule.NoFolder):       "its folder is back",
	schedule.Healed(schedule.OtherModule):    "its module is one that may run",
}

func healedText(e schedule.Event) string {
	text, known := healed[e.Healed]
	if !known {
		text = "its owner did something about it"
	}
	switch {
	case e.Reason != "":
		text += "; " + show.Reason(e.Reason)
		if !e.Until.IsZero() {
			text += ", until " + output.Timestamp(e.Until)
		}
	case !e.Until.IsZero():
		text += "; one run tries it, not before " + output.Timestamp(e.Until)
	default:
		text += "; one run tries it"
	}
	return text
}

// served says what was run while a server served.
func served(n serving.Counts) string {
	text := output.Plural(n.Runs, "run")
	if n.Failed > 0 || n.Stopped == 0 {
		text += fmt.Sprintf(", %d of them not well", n.Failed)
	}
	if n.Stopped > 0 {
		text += fmt.Sprintf(", %d stopped", n.Stopped)
	}
	return text
}
