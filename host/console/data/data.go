package data

import (
	"net/http"
	"net/url"
	"strconv"
	"time"

	"github.com/pdpp-host/pdpp-host/host/console/site"
	"github.com/pdpp-host/pdpp-host/host/console/ui"
	"github.com/pdpp-host/pdpp-host/host/console/words"
	records "github.com/pdpp-host/pdpp-host/host/owner/data"
)

const (
	path        = "/data"
	mostStreams = 100 // on a page
)

// Register adds the pages of this room.
func Register(s *site.Site, mux *http.ServeMux) {
	mux.Handle("GET "+path, s.Signed(show))
	mux.Handle("GET "+path+"/search", s.Signed(search))
	mux.Handle("GET "+path+"/{connection}/{stream}", s.Signed(showStream))
	mux.Handle("GET "+path+"/{connection}/{stream}/export", s.Signed(export))
	mux.Handle("GET "+path+"/{connection}/{stream}/record", s.Signed(showRecord))
	mux.Handle("GET "+path+"/{connection}/{stream}/record/download", s.Signed(download))
	mux.Handle("GET "+path+"/{connection}/{stream}/record/blob", s.Signed(blob))
	mux.Handle("POST "+path+"/{connection}/{stream}/record/delete", s.Signed(erase))
	mux.Handle("POST "+path+"/{connection}/{stream}/record/restore", s.Signed(restore))
}

func streamPath(connection, stream string) string {
	return path + "/" + url.PathEscape(connection) + "/" + url.PathEscape(stream)
}

func recordPath(r *records.Record, below string) string {
	return streamPath(r.Connection, r.Stream) + "/record" + below + "?" + url.Values{"key": {r.Key}}.Encode()
}

// all is everything that was collected.
type all struct {
	rows        []records.StreamSize
	streams     int // of all, of which rows are a part
	records     int64
	first, last string // days; "": no record has a time
	heat        heat
	indexing    *records.Indexing
	from        int
}

func show(v *site.Visit) error {
	sizes, err := records.Streams(v.Context(), v.Owner, records.Where{})
	if err != nil {
		return err
	}
	q := v.R.URL.Query()
	a := all{streams: len(sizes.Streams)}
	for i := range sizes.Streams {
		s := &sizes.Streams[i]
		a.records += s.Records
		if s.First != "" && (a.first == "" || s.First < a.first) {
			a.first = s.First
		}
		a.last = max(a.last, s.Last)
	}
	a.from = within(q.Get("from"), 0, a.streams, 0)
	a.rows = sizes.Streams[a.from:min(a.from+mostStreams, a.streams)]
	if a.heat, err = heatOf(v, q.Get("year"), a.first, a.last); err != nil {
		return err
	}
	if a.indexing, err = records.IndexingOf(v.Context(), v.Owner); err != nil {
		return err
	}
	return v.Show(http.StatusOK, words.DataTitle, ui.Data, page(&a))
}

// heatOf counts the days of a year: the one that is asked for, or the last one with records
// that is not ahead.
func heatOf(v *site.Visit, asked, first, last string) (heat, error) {
	now := v.Now().UTC().Year()
	from, to := yearOf(first, now), yearOf(last, now)
	h := heat{year: within(asked, from, to, max(from, min(to, now)))}
	if h.year > from {
		h.before = h.year - 1
	}
	if h.year < to {
		h.after = h.year + 1
	}
	counted, err := records.Days(v.Context(), v.Owner, records.Where{}, time.Date(h.year, 1, 1, 0, 0, 0, 0, time.UTC), time.Date(h.year, 12, 31, 0, 0, 0, 0, time.UTC))
	if err != nil {
		return h, err
	}
	h.days, h.partial = counted.Days, counted.Behind > 0
	return h, nil
}

func yearOf(day string, other int) int {
	at, err := time.Parse(time.DateOnly, day)
	if err != nil {
		return other
	}
	return at.Year()
}

// within is the number that was typed, if it is one from least to most.
func within(typed string, least, most, other int) int {
	n, err := strconv.Atoi(typed)
	if err != nil || n < least || n > most {
		return other
	}
	return n
}

func (a *all) more() bool { return a.from+len(a.rows) < a.streams }

func (a *all) next() string { return path + "?from=" + strconv.Itoa(a.from+len(a.rows)) }
