package runs

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/pdpp-host/pdpp-host/host/console/ui"
	"github.com/pdpp-host/pdpp-host/host/console/words"
	"github.com/pdpp-host/pdpp-host/host/owner"
)

// destination is where requests went.
type destination struct {
	host                        string
	requests, bytesOut, bytesIn int64
}

// leftOut is something that the run says it did not collect, in its own words.
type leftOut struct {
	Reason  string `json:"reason"`
	Stream  string `json:"stream"`
	Message string `json:"message"`
}

func leftOutOf(r *owner.Run) []leftOut {
	var all []leftOut
	if json.Unmarshal(r.KnownGaps, &all) != nil {
		return nil // the run says that part of it cannot be read
	}
	return all
}

// stream is what a run did to one stream.
type stream struct {
	Name string
	owner.Counts

	Rejected int64
	most     int64 // of the stream with the most records
	goesOn   bool  // the run may still bring records
}

func (s *stream) total() int64 { return s.New + s.Changed + s.Unchanged + s.Deleted + s.Suppressed }

// counted is a number of things.
type counted struct {
	n    int64
	what string
}

// counts are what the run did to the stream.
func (s *stream) counts() []counted {
	all := []counted{
		{s.New, words.NewCount}, {s.Changed, words.ChangedCount}, {s.Deleted, words.DeletedCount}, {s.Unchanged, words.UnchangedCount}, {s.Rejected, words.RejectedCount}, {s.Suppressed, words.SuppressedCount},
	}
	return slices.DeleteFunc(all, func(c counted) bool { return c.n == 0 })
}

// said is what the run did to the stream, in words.
func (s *stream) said() string {
	var said []string
	for _, c := range s.counts() {
		said = append(said, ui.Grouped(c.n)+" "+c.what)
	}
	return ui.Or(strings.Join(said, " · "), s.nothing())
}

// nothing says that the run did nothing to the stream.
func (s *stream) nothing() string {
	if s.goesOn {
		return words.NoneYet
	}
	return words.NothingNew
}

// streams are the run's, in the manifest's order, then what else was counted.
func (r *shown) streams() []stream {
	names := slices.Clone(r.Streams)
	for name := range ui.Sorted(r.Records) {
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	all, most := make([]stream, len(names)), int64(0)
	for i, name := range names {
		all[i] = stream{Name: name, Counts: r.Records[name], goesOn: r.running()}
		if r.live != nil {
			all[i].Rejected = r.live.rejected[name]
		}
		most = max(most, all[i].total())
	}
	for i := range all {
		all[i].most = most
	}
	return all
}

// chartOf draws what the connector counted while it ran.
func chartOf(r *owner.Run) ui.Chart {
	var c ui.Chart
	for _, e := range r.Events {
		var said struct {
			Count *int64 `json:"count"`
		}
		if e.Type != "run.progress_reported" || json.Unmarshal(e.Data, &said) != nil || said.Count == nil || *said.Count < 0 {
			continue
		}
		c.Points = append(c.Points, ui.Point{At: max(0, e.At.Sub(r.StartedAt)), N: *said.Count})
	}
	return c
}

// events are the last ones, and whether there are more.
func (r *shown) events() (last []owner.Event, more bool) {
	if len(r.Events) <= mostEvents {
		return r.Events, false
	}
	return r.Events[len(r.Events)-mostEvents:], true
}

// mostSaid bounds what is shown of an event's data, in bytes.
const mostSaid = 300

func saidBy(e *owner.Event) string {
	text := string(e.Data)
	if text == "null" || text == "{}" {
		return ""
	}
	if len(text) > mostSaid {
		return ui.Bounded(text, mostSaid) + "…"
	}
	return text
}

func (r *shown) gaps() []owner.Gap { return r.Gaps[:min(len(r.Gaps), mostGaps)] }

func attempts(g *owner.Gap) string { return strconv.FormatInt(g.Attempts, 10) }

func (r *shown) running() bool { return r.Status == owner.StatusRunning }

func (r *shown) took() string {
	if r.running() {
		return words.Runs
	}
	return words.Took
}

func (r *shown) elapsed() string { return ui.Took(r.Run, r.now) }

func sinceStart(r *owner.Run, at time.Time) string {
	return "+" + words.Duration(at.Sub(r.StartedAt))
}
