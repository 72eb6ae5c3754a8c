package view

import (
	"strconv"
	"strings"

	"github.com/pdpp-host/pdpp-host/health/verdict"
)

// Fleet counts connections. Registered counts all of them. WithRecords and
// WithoutRecords partition them by their contents; Healthy, Degraded, CannotCollect
// and Checking partition them by their pills (HL-10). The other counts overlap with
// these.
type Fleet struct {
	Registered     int64 `json:"registered"`
	WithRecords    int64 `json:"with_records"`
	WithoutRecords int64 `json:"without_records"`

	Healthy       int64 `json:"healthy"`
	Degraded      int64 `json:"degraded"`
	CannotCollect int64 `json:"cannot_collect"`
	Checking      int64 `json:"checking"`

	// AttentionVisible counts the connections whose pill shows a problem: degraded or
	// cooling off, blocked, stalled (HL-09). NeedsOwner counts those that interrupt
	// their owner, by the verdict's channel alone.
	AttentionVisible int64 `json:"attention_visible"`
	NeedsOwner       int64 `json:"needs_owner"`
	UploadsStalled   int64 `json:"uploads_stalled"` // a device's problem, not the scheduler's
	AllClear         bool  `json:"all_clear"`       // no known problem, nothing unknown, and a working runtime
}

// Add counts n connections with one standing. A fault of the runtime keeps all of them
// from interrupting, as in their verdicts.
func (f *Fleet) Add(s Standing, n int64, runtimeOK bool) {
	f.Registered += n
	if s.Records {
		f.WithRecords += n
	} else {
		f.WithoutRecords += n
	}
	switch s.Tone {
	case verdict.Green:
		f.Healthy += n
	case verdict.Amber:
		f.Degraded += n
	case verdict.Red:
		f.CannotCollect += n
	default:
		f.Checking += n
	}
	if s.Tone == verdict.Amber || s.Tone == verdict.Red {
		f.AttentionVisible += n
	}
	if runtimeOK && s.Channel == verdict.Attention {
		f.NeedsOwner += n
	}
	if s.Stalled {
		f.UploadsStalled += n
	}
	f.AllClear = runtimeOK && f.AttentionVisible == 0 && f.Checking == 0
}

// Summary returns the counts in one line. It names problems before healthy
// connections, and never claims that all is well if anything is not.
func (f *Fleet) Summary() string {
	if f.Registered == 0 {
		return "no connections"
	}
	noun := " connections: "
	if f.Registered == 1 {
		noun = " connection: "
	}
	var parts []string
	for _, p := range []struct {
		n    int64
		word string
	}{
		{f.CannotCollect, "can't collect"}, {f.Degraded, "degraded"}, {f.Checking, "checking"}, {f.Healthy, "healthy"},
	} {
		if p.n > 0 {
			parts = append(parts, strconv.FormatInt(p.n, 10)+" "+p.word)
		}
	}
	said := []string{strconv.FormatInt(f.Registered, 10) + noun + strings.Join(parts, ", ")}
	for _, p := range []struct {
		n    int64
		word string
	}{
		{f.NeedsOwner, " in need of you"}, {f.UploadsStalled, " with uploads that stalled"}, {f.WithoutRecords, " without records"},
	} {
		if p.n > 0 {
			said = append(said, strconv.FormatInt(p.n, 10)+p.word)
		}
	}
	return strings.Join(said, "; ")
}
