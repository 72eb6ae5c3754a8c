package spotify

import (
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"time"
)

// maxLimit is the largest limit.
const maxLimit = 50

// origin is where next leads: to the API, or to where the simulation listens.
func (p *Provider) origin(r *http.Request) string {
	switch {
	case p.faults.NextHost != "":
		return p.faults.NextHost
	case r.TLS == nil && r.URL.Scheme != "https" && r.Host != "":
		return "http://" + r.Host
	}
	return "https://api.spotify.com"
}

// limit reads the parameter limit.
func (p *Provider) limit(q url.Values) (int, bool) {
	limit := 20
	if text := q.Get("limit"); text != "" {
		n, err := strconv.Atoi(text)
		if err != nil || n < 1 || n > maxLimit {
			return 0, false
		}
		limit = n
	}
	if p.faults.PageSize > 0 {
		limit = min(limit, p.faults.PageSize)
	}
	return limit, true
}

// page makes a paging object of n items.
func (p *Provider) page(r *http.Request, n int, item func(int) any) (int, any) {
	q := r.URL.Query()
	limit, ok := p.limit(q)
	offset := 0
	if text := q.Get("offset"); text != "" {
		var err error
		if offset, err = strconv.Atoi(text); err != nil || offset < 0 {
			ok = false
		}
	}
	if !ok {
		return refuse(http.StatusBadRequest, "Invalid limit")
	}
	items := make([]any, 0, limit)
	for i := offset; i < min(offset+limit, n); i++ {
		items = append(items, item(i))
	}
	if p.faults.NullItem && len(items) > 0 {
		items[0] = nil
	}
	at := func(offset int) any {
		to := maps.Clone(q)
		to.Set("offset", strconv.Itoa(offset))
		to.Set("limit", strconv.Itoa(limit))
		return p.origin(r) + r.URL.Path + "?" + to.Encode()
	}
	var next, previous any
	if offset+limit < n {
		next = at(offset + limit)
	}
	if offset > 0 {
		previous = at(max(0, offset-limit))
	}
	if p.faults.RepeatNext {
		next = at(offset)
	}
	return http.StatusOK, map[string]any{
		"href": at(offset), "limit": limit, "next": next, "offset": offset, "previous": previous, "total": n, "items": items,
	}
}

// kept is how many plays the API remembers.
const kept = 50

// recentlyPlayed lists the last plays, newest first, behind or before a time.
func (p *Provider) recentlyPlayed(r *http.Request) (int, any) {
	q := r.URL.Query()
	limit, ok := p.limit(q)
	after, hasAfter, okAfter := milliseconds(q, "after")
	before, hasBefore, okBefore := milliseconds(q, "before")
	if !ok || !okAfter || !okBefore || hasAfter && hasBefore {
		return refuse(http.StatusBadRequest, "Invalid request")
	}
	plays := slices.Clone(p.plays[:min(kept, len(p.plays))])
	plays = slices.DeleteFunc(plays, func(one *Play) bool {
		ms := one.At.UnixMilli()
		return hasAfter && ms <= after || hasBefore && ms >= before
	})
	items := make([]any, 0, limit)
	for _, one := range plays[:min(limit, len(plays))] {
		items = append(items, one.render(p.o.Modern))
	}
	answer := map[string]any{"href": p.origin(r) + r.URL.RequestURI(), "limit": limit, "items": items, "next": nil, "cursors": nil}
	if len(items) > 0 {
		newest, oldest := plays[0].At.UnixMilli(), plays[len(items)-1].At.UnixMilli()
		answer["cursors"] = map[string]any{"after": strconv.FormatInt(newest, 10), "before": strconv.FormatInt(oldest, 10)}
		answer["next"] = p.origin(r) + r.URL.Path + "?limit=" + strconv.Itoa(limit) + "&before=" + strconv.FormatInt(oldest, 10)
	}
	if p.faults.RepeatNext {
		answer["next"] = answer["href"]
	}
	return http.StatusOK, answer
}

func milliseconds(q url.Values, name string) (ms int64, given, ok bool) {
	text := q.Get(name)
	if text == "" {
		return 0, false, true
	}
	ms, err := strconv.ParseInt(text, 10, 64)
	return ms, true, err == nil
}

// stamp writes a time as the API does for saves: to the second.
func stamp(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05Z") }
