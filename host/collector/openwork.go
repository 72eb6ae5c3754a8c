package collector

import (
	"time"

	"github.com/pdpp-host/pdpp-host/storage"
)

// OpenWork is what of the source is not done, and why (LC-05.1, LC-07.1).
type OpenWork struct {
	Total int64      `json:"total"` // also of those that are not listed
	Parts []OpenPart `json:"parts"`
}

// OpenPart is one part of the source that is not done. It holds no path and no
// secret.
type OpenPart struct {
	Kind          string     `json:"kind"` // unit, or gap: one record's detail
	Stream        string     `json:"stream,omitempty"`
	Boundary      string     `json:"boundary,omitempty"`
	Status        string     `json:"status"`
	Reason        string     `json:"reason,omitempty"`
	Retryable     bool       `json:"retryable"`
	Attempts      int64      `json:"attempts"`
	LastAttemptAt *time.Time `json:"last_attempt_at"`
}

func openWorkOf(info *storage.LaneInfo) OpenWork {
	w := OpenWork{Total: info.OpenTotal, Parts: make([]OpenPart, len(info.Open))}
	for i, o := range info.Open {
		w.Parts[i] = OpenPart{
			Kind: o.Kind, Stream: o.Stream, Boundary: o.Boundary, Status: o.Status, Reason: o.Reason, Retryable: o.Retryable,
			Attempts: o.Attempts, LastAttemptAt: moment(o.LastAttemptAt),
		}
	}
	return w
}
