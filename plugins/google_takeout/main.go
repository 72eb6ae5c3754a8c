package main

import (
	_ "embed"
	"path"
	"strconv"
	"strings"

	"github.com/pdpp-host/pdpp-host/sdk"
	"github.com/pdpp-host/pdpp-host/sdk/archive"
	"github.com/pdpp-host/pdpp-host/sdk/exports"
	"github.com/pdpp-host/pdpp-host/sdk/jsonvalue"
)

//go:embed manifest.json
var manifest string

type connector struct{}

func (connector) Manifest() string { return manifest }

// run is one collection.
type run struct {
	exports.Each

	h    *sdk.Host
	doc  jsonvalue.Doc
	head []byte // of a JSON file
}

func (connector) Collect(h *sdk.Host) error {
	folder, err := exports.Open(h, "google_takeout")
	if err != nil {
		return err
	}
	r := &run{h: h, head: make([]byte, headBytes)}
	r.Read = r.entry
	if err := r.Run(h, folder); err != nil {
		return err
	}
	files, problems := r.Totals()
	if err := r.coverage(files); err != nil {
		return err
	}
	return exports.Report(h, problems,
		exports.Problem{Code: problemHTML, Text: "files with activities that are HTML: #; choose JSON for them when you make the next export", Hint: "manual_action_required"},
		exports.Problem{Code: problemTime, Text: "records that were left out, because they have no time that can be read: #", Hint: "not_retriable"},
		exports.Problem{Code: problemLarge, Text: "values that were left out, because they are too large for a record: #", Hint: "not_retriable"})
}

func init() { sdk.Run(connector{}) }

func main() {}

// The problems besides those of the readers.
const (
	problemHTML  = "history_is_html"
	problemTime  = "time_missing"
	problemLarge = "value_too_large"
)

// stores are the kinds of files in an archive, and what becomes of each.
var stores = []struct{ store, stream, status, what string }{
	{"places", streamLocations, "collected", "files with places"},
	{"activities", streamWatched, "collected", "files with activities, of which videos watched and searches are collected"},
	{"photos", streamPhotos, "collected", "descriptions of photos"},
	{"mailboxes", streamMail, "collected", "mailboxes, of which the headers are collected"},
	{"subscriptions", streamSubscriptions, "collected", "lists of subscriptions"},
	{"html_activities", "", "unsupported", "files with activities as HTML"},
	{"pictures", "", "unsupported", "pictures and videos"},
	{"other", "", "unsupported", "other files"},
}

// pictures are the endings of names of pictures and videos.
const pictures = ".jpg .jpeg .png .gif .heic .webp .mp4 .mov .avi .mkv .3gp .dng "

// entry reads one entry: the ending of its name says how, and its content what it is.
func (r *run) entry(a *archive.Reader) (err error) {
	e := a.Entry()
	store, end := "other", strings.ToLower(path.Ext(e.Name))
	switch base := path.Base(e.Name); {
	case end == ".json":
		store, err = r.json(a)
	case end == ".mbox":
		store, err = "mailboxes", r.mail(a)
	case end == ".csv":
		store, err = r.subscriptions(a)
	case base == "watch-history.html" || base == "search-history.html" || base == "MyActivity.html":
		store = "html_activities"
		r.Problems[problemHTML]++
	case end != "" && strings.Contains(pictures, end+" "):
		store = "pictures"
	case e.Problem != nil:
		err = e.Problem
	}
	r.Files[store]++
	return err
}

// coverage emits what the archives have, and which of it is collected.
func (r *run) coverage(files exports.Tally) error {
	for _, row := range stores {
		n := files[row.store]
		if n == 0 {
			row.status = "absent"
		}
		rec := r.h.Record(streamCoverage)
		rec.String("id", "coverage:"+row.store)
		rec.String("store", row.store)
		rec.StringOrNull("stream", row.stream)
		rec.String("status", row.status)
		rec.String("reason", row.what+": "+strconv.FormatInt(n, 10))
		if err := rec.Emit(); err != nil {
			return err
		}
	}
	return nil
}
