package strava

import (
	"net/http"
	"strconv"
	"strings"
	"time"
)

// window is a pair of limits with headers of its own.
type window struct {
	header string // the beginning of the two names
	quotas []quota
	used   []used
}

// quota is so many requests between two multiples of a span since 1970.
type quota struct {
	most int
	per  time.Duration
}

type used struct {
	n     int
	since time.Time
}

// admit counts a request, one that it refuses as well, and tells both pairs of limits.
func (p *Provider) admit(header http.Header) bool {
	now, ok := p.o.Now().UTC(), true
	for _, w := range p.windows {
		var limits, usage []string
		for i, q := range w.quotas {
			u := &w.used[i]
			if begin := now.Truncate(q.per); !u.since.Equal(begin) {
				*u = used{since: begin}
			}
			u.n++
			ok = ok && u.n <= q.most
			limits, usage = append(limits, strconv.Itoa(q.most)), append(usage, strconv.Itoa(u.n))
		}
		header.Set(w.header+"-Limit", strings.Join(limits, ","))
		header.Set(w.header+"-Usage", strings.Join(usage, ","))
	}
	return ok
}
