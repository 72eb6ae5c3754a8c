package ui

import (
	"time"

	"github.com/pdpp-host/pdpp-host/health/verdict"
	"github.com/pdpp-host/pdpp-host/host/console/words"
	"github.com/pdpp-host/pdpp-host/host/owner"
)

// RunTone is the tone of a run's outcome.
func RunTone(r *owner.Run) verdict.Tone {
	switch r.Status {
	case "succeeded":
		return verdict.Green
	case "failed", "abandoned":
		return verdict.Red
	}
	return verdict.Grey
}

// Moved is how many records a run has changed.
func Moved(r *owner.Run) (n int64) {
	for _, c := range r.Records {
		n += c.New + c.Changed + c.Deleted
	}
	return n
}

// Took is how long a run took, up to now where it goes on.
func Took(r *owner.Run, now time.Time) string {
	end := now
	if r.FinishedAt != nil {
		end = *r.FinishedAt
	}
	return words.Duration(end.Sub(r.StartedAt))
}

// because is why a run ended as it did; "": nothing is to be said.
func because(r *owner.Run) string {
	if r.Error != nil && r.Error.Message != "" {
		return Sentence(r.Error.Message)
	}
	return words.Reason(r.Reason)
}
