package ui

import (
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/pdpp-host/pdpp-host/host/console/words"
	"github.com/pdpp-host/pdpp-host/host/owner"
)

// Outcome is how the runs of a day came out, as a bar shows it.
type Outcome int

// The outcomes.
const (
	NoRun   Outcome = iota
	Good            // all succeeded
	Mixed           // some failed
	Bad             // none succeeded
	Stopped         // by the owner
	Going           // one goes on
)

// Days are the runs of a connection, a bar a day, the oldest first.
type Days struct {
	Bars                     []Outcome
	Good, Bad, Stopped, Live int64
}

// DaysOf counts n days up to now.
func DaysOf(runs []owner.RunDay, now time.Time, n int) Days {
	today := now.UTC().Truncate(24 * time.Hour)
	type day struct{ good, bad, stopped, live int64 }
	days := make([]day, n)
	d := Days{Bars: make([]Outcome, n)}
	for _, r := range runs {
		i := n - 1 - int(today.Sub(r.Day.UTC())/(24*time.Hour))
		if i < 0 || i >= n {
			continue
		}
		switch r.Status {
		case "succeeded":
			days[i].good += r.Runs
		case "cancelled":
			days[i].stopped += r.Runs
		case "running":
			days[i].live += r.Runs
		default:
			days[i].bad += r.Runs
		}
	}
	for i, x := range days {
		d.Good, d.Bad, d.Stopped, d.Live = d.Good+x.good, d.Bad+x.bad, d.Stopped+x.stopped, d.Live+x.live
		switch {
		case x.live > 0:
			d.Bars[i] = Going
		case x.bad > 0 && x.good > 0:
			d.Bars[i] = Mixed
		case x.bad > 0:
			d.Bars[i] = Bad
		case x.good > 0:
			d.Bars[i] = Good
		case x.stopped > 0:
			d.Bars[i] = Stopped
		}
	}
	return d
}

// Label says the picture in words.
func (d Days) Label() string {
	return words.RunsOfDays(len(d.Bars), d.Good, d.Bad, d.Stopped, d.Live)
}

// classes are the colours of outcomes. Each outcome has a shape of its own besides, so that
// no colour is needed to tell it.
var classes = map[Outcome]string{NoRun: "fill-line", Good: "fill-good", Mixed: "fill-warn", Bad: "fill-bad", Stopped: "fill-idle", Going: "fill-accent"}

// outcomes are drawn in this order.
var outcomes = []Outcome{NoRun, Good, Mixed, Bad, Stopped, Going}

// shape is one bar from the left end of its ground, w wide.
func (o Outcome) shape(w float64) string {
	half := tenth(w / 2)
	switch o {
	case Good:
		return "v-19q0-2 2-2h" + tenth(w-4) + "q2 0 2 2v19z"
	case Mixed: // a tall bar with a notch
		return "v-19l" + half + " 6 " + half + "-6v19z"
	case Bad: // a diamond on the ground
		return "m0-5l" + half + "-5 " + half + " 5-" + half + " 5z"
	case Stopped:
		return "v-9h" + tenth(w) + "v9z"
	case Going: // a tall bar with a gap
		return "v-12h" + tenth(w) + "v12zm0-15v-6h" + tenth(w) + "v6z"
	default:
		return "v-2h" + tenth(w) + "v2z"
	}
}

// path is all bars of one outcome: a page of many rows stays small.
func (d Days) path(o Outcome, step, ground float64) string {
	var b strings.Builder
	shape := o.shape(step * barShare)
	for i, bar := range d.Bars {
		if bar == o {
			b.WriteString("M" + tenth(float64(i)*step) + " " + tenth(ground) + shape)
		}
	}
	return b.String()
}

// barShare is how much of its step a bar takes.
const barShare = 0.68

func tenth(x float64) string { return strconv.FormatFloat(math.Round(x*10)/10, 'f', -1, 64) }
