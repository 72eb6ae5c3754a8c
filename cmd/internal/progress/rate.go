package progress

import (
	"time"

	"github.com/pdpp-host/pdpp-host/host/run"
)

// rateWindow is how far back a rate looks: short enough to follow a change,
// long enough not to jump.
const rateWindow = 5 * time.Second

// rate measures PROGRESS's count over the last few seconds.
type rate struct {
	samples []sample
}

type sample struct {
	at    time.Duration // since the run began
	count int64
}

func (r *rate) add(u run.Update) {
	if n := len(r.samples); n > 0 && (u.Count < r.samples[n-1].count || u.Elapsed <= r.samples[n-1].at) {
		r.samples = r.samples[:0] // the guest began to count something else
	}
	r.samples = append(r.samples, sample{u.Elapsed, u.Count})
	drop := 0
	for drop < len(r.samples)-2 && u.Elapsed-r.samples[drop].at > rateWindow {
		drop++
	}
	r.samples = append(r.samples[:0], r.samples[drop:]...)
}

// perSecond returns 0 while there is too little to go by.
func (r *rate) perSecond() float64 {
	if len(r.samples) < 2 {
		return 0
	}
	first, last := r.samples[0], r.samples[len(r.samples)-1]
	if last.at-first.at < 400*time.Millisecond {
		return 0
	}
	return float64(last.count-first.count) / (last.at - first.at).Seconds()
}
