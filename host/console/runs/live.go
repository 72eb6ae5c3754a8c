package runs

import (
	"math"
	"strconv"
	"time"

	"github.com/pdpp-host/pdpp-host/host/console/words"
	"github.com/pdpp-host/pdpp-host/host/owner/serving"
)

// live is how far a run is that this process makes.
type live struct {
	message      string // the connector's
	count, total int64  // that it counts; total 0: it is not known
	unit         string
	pace         string    // how often it asks
	requests     []counted // that went out
	next         time.Time // when the next request goes; zero: it does not wait
	nextAsked    bool      // the service asked for that
	rejected     map[string]int64
}

func liveOf(u *serving.Update) *live {
	l := &live{message: u.Message, count: u.Count, total: u.Total, unit: u.Unit, rejected: map[string]int64{}}
	for _, s := range u.Streams {
		l.rejected[s.Name] = s.Rejected
	}
	if u.WaitUntil.After(u.Now) {
		l.next, l.nextAsked = u.WaitUntil, u.WaitAsked
	}
	if r := u.Rate; r != nil && r.CurrentIntervalMS > 0 {
		l.pace = words.EveryRequest + " " + interval(int64(math.Round(r.CurrentIntervalMS)))
	}
	for _, c := range []counted{{u.Requests.Sent, words.RequestsSent}, {u.Requests.Retried, words.RetriesSent}, {u.Requests.Throttled, words.Throttled}} {
		if c.n > 0 {
			l.requests = append(l.requests, c)
		}
	}
	return l
}

// interval needs no decimals, whose sign is another one in each language.
func interval(ms int64) string {
	if ms%1000 == 0 {
		return strconv.FormatInt(ms/1000, 10) + " s"
	}
	return strconv.FormatInt(ms, 10) + " ms"
}
