package show

import (
	"time"

	"github.com/pdpp-host/pdpp-host/cmd/internal/output"
	"github.com/pdpp-host/pdpp-host/host/owner"
	"github.com/pdpp-host/pdpp-host/host/owner/words"
	"github.com/pdpp-host/pdpp-host/host/schedule"
)

// waits is what a connection waits for, in words.
var waits = map[schedule.Reason]string{
	schedule.ReasonPaused:      "paused",
	schedule.ReasonUnsafe:      "its connector is not safe to run by itself",
	schedule.ReasonNotReady:    "waits for its folder or its module",
	schedule.ReasonAttention:   "waits for you",
	schedule.ReasonCoolingDown: "cooling down, the service refused requests or was away",
	schedule.ReasonBackingOff:  "backing off, it failed the same way again and again",
	schedule.ReasonGivenUp:     "not run by itself any more, it failed too often; run it by hand to see why",
	schedule.ReasonRunning:     "runs now",
	// Some of what decides it is unreadable, or missing.
	schedule.ReasonUnresolvable: "it cannot be told whether it may run",
}

// skips are the reasons that are no wait of a connection's schedule.
var skips = map[schedule.Reason]string{
	schedule.ReasonManual:   "only by hand",
	schedule.ReasonOnDevice: "its device collects it",
	schedule.ReasonNotDue:   "not due yet",
}

// Reason says in words why a connection was not run.
func Reason(r schedule.Reason) string {
	if text, ok := waits[r]; ok {
		return text
	}
	if text, ok := skips[r]; ok {
		return text
	}
	return string(r)
}

// Schedule says in one line when a connection runs by itself.
func Schedule(s *owner.Schedule) string {
	text := "only by hand"
	if s.EverySec > 0 {
		text = words.Every(time.Duration(s.EverySec) * time.Second)
		switch s.By {
		case "recommended":
			text += ", as its connector recommends"
		case "default":
			text += ", until its connector says otherwise"
		}
	}
	if w, ok := waits[schedule.Reason(s.Waits)]; ok {
		text += "; " + w
	}
	if s.Look {
		text += ", time and again: look at it"
	}
	switch {
	case s.Due != nil && s.Overdue:
		text += "; overdue since " + output.Timestamp(*s.Due) + "; nothing serves: pdpp-host serve"
	case s.Due != nil:
		text += "; due now; nothing serves: pdpp-host serve"
	}
	if s.Next != nil {
		text += "; next " + output.Timestamp(*s.Next)
	}
	return text
}
