package collector

import (
	"cmp"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/pdpp-host/pdpp-host/abi/device"
	"github.com/pdpp-host/pdpp-host/host/run"
	"github.com/pdpp-host/pdpp-host/storage"
)

// OpenWork is what of the source is not done, and why (LC-05.1, LC-07.1).
type OpenWork struct {
	Total int64      `json:"total"` // also of those that are not listed
	Parts []OpenPart `json:"parts"`
}

// OpenPart is one part of the source that is not done. It holds no secret, and what
// is written of it no path.
type OpenPart struct {
	Kind          string     `json:"kind"` // unit, or gap: one record's detail
	Stream        string     `json:"stream,omitempty"`
	Boundary      string     `json:"boundary,omitempty"`
	Status        string     `json:"status"`
	Reason        string     `json:"reason,omitempty"`
	Retryable     bool       `json:"retryable"`
	Attempts      int64      `json:"attempts"`
	LastAttemptAt *time.Time `json:"last_attempt_at"`
	// Said is what the connector said of it, with the names that are this machine's
	// alone; nil: nothing more is known.
	Said *run.KnownGap `json:"-"`
	// Refused is why the host refused the record or the stream, in its own words. It is empty if the host did not.
	Refused string `json:"refused,omitempty"`
}

func openWorkOf(info *storage.LaneInfo, known *memory) OpenWork {
	w := OpenWork{Total: info.OpenTotal, Parts: make([]OpenPart, len(info.Open))}
	for i, o := range info.Open {
		w.Parts[i] = OpenPart{
			Kind: o.Kind, Stream: o.Stream, Boundary: o.Boundary, Status: o.Status, Reason: o.Reason, Retryable: o.Retryable,
			Attempts: o.Attempts, LastAttemptAt: moment(o.LastAttemptAt), Refused: o.Said,
		}
		if o.Kind == kindUnit {
			w.Parts[i].Said = known.said(o.Stream, o.Reason)
		}
	}
	return w
}

// The kinds of an open part.
const (
	kindUnit   = "unit"
	kindDetail = "gap" // of one record
)

// The words for who goes on with a part that is not done. The same is said of it
// wherever it is told.
const (
	byItself = iota // a later run tries it again
	somebody        // a later run looks again, and finds it as it is until somebody puts it right
	nobody          // it is out of reach for this connector
)

func (p *OpenPart) whose() int {
	if p.Retryable {
		return byItself
	}
	if p.Said != nil && final(p.Said.RecoveryHint) {
		return nobody
	}
	return somebody
}

// final reports whether what has this hint stays missing, whoever does what.
func final(hint string) bool { return hint == "not_retriable" || hint == "retry_on_connector_upgrade" }

// Again says whether an open part is tried again.
func (p *OpenPart) Again() string {
	return [...]string{byItself: "tried again by itself", somebody: "it needs somebody", nobody: "it stays missing"}[p.whose()]
}

// Why says what is not done and why, with the names that this machine may show.
func (p *OpenPart) Why() string {
	text := cmp.Or(p.Stream, "the source")
	if p.Boundary != "" {
		text += " " + p.Boundary
	}
	switch {
	case p.Reason == device.GapRefused:
		return text + ": the host refuses one record, " + cmp.Or(p.Refused, "without a word")
	case p.Reason == device.GapStreamRefused:
		return text + ": the host takes no record of this stream, " + cmp.Or(p.Refused, "without a word")
	case p.Kind == kindDetail:
		text += ", the detail of a record"
	}
	text += ": " + p.Reason
	if p.Said == nil {
		return text
	}
	if m := strings.TrimSpace(p.Said.Message); m != "" {
		text += ", " + m
	}
	if names := namesIn(p.Said.Diagnostics); names != "" {
		text += ": " + names
	}
	return text
}

// namesIn lists what a gap's diagnostics name. They are a connector's: what has
// another shape is passed over.
func namesIn(diagnostics json.RawMessage) string {
	const most = 3
	var members map[string]json.RawMessage
	if json.Unmarshal(diagnostics, &members) != nil {
		return ""
	}
	var all []string
	for _, name := range []string{"files", "folders", "paths", "examples"} {
		var list []string
		if json.Unmarshal(members[name], &list) == nil {
			all = append(all, list...)
		}
	}
	text := strings.Join(all[:min(len(all), most)], ", ")
	if more := len(all) - most; more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}
