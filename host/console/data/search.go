package data

import (
	"net/http"
	"net/url"

	"github.com/pdpp-host/pdpp-host/host/console/site"
	"github.com/pdpp-host/pdpp-host/host/console/ui"
	"github.com/pdpp-host/pdpp-host/host/console/words"
	records "github.com/pdpp-host/pdpp-host/host/owner/data"
)

// mostTyped bounds what is looked for, in bytes.
const mostTyped = 400

func typed(s string) string {
	s, _ = cut(s, mostTyped)
	return s
}

// found is what a search found.
type found struct {
	*records.Found

	text     string
	inside   string // the page of the stream that was searched; "": everything was
	cursor   string
	indexing *records.Indexing // nil: nothing is missing
	err      error
}

func search(v *site.Visit) error {
	q := v.R.URL.Query()
	f := found{text: typed(q.Get("q")), cursor: q.Get("cursor"), Found: &records.Found{}}
	if err := f.ask(v, records.SearchRequest{}); err != nil {
		return err
	}
	return v.Show(f.status(), words.SearchTitle, ui.Data, searchPage(&f))
}

// ask searches where there is something to look for.
func (f *found) ask(v *site.Visit, r records.SearchRequest) error {
	if f.text == "" {
		return nil
	}
	r.Text, r.Cursor = f.text, f.cursor
	answer, err := records.Search(v.Context(), v.Owner, r)
	if err == nil {
		if f.Found = answer; !answer.Complete {
			f.indexing, err = records.IndexingOf(v.Context(), v.Owner)
		}
		return err
	}
	if !site.OfForm(err) {
		return err
	}
	f.err = err
	return nil
}

func (f *found) status() int {
	if f.err != nil {
		return site.StatusOf(f.err)
	}
	return http.StatusOK
}

func (f *found) next() string {
	at := path + "/search"
	if f.inside != "" {
		at = f.inside
	}
	return at + "?" + url.Values{"q": {f.text}, "cursor": {f.Next}}.Encode()
}

// before and behind say where the field goes on.
func before(h *records.Hit) string {
	if h.Before {
		return "… "
	}
	return ""
}
