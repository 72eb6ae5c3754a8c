package main

import (
	_ "embed"
	"strconv"

	"github.com/pdpp-host/pdpp-host/sdk"
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
	head []byte // of the file at hand
	file *exports.File
	item int64 // of the file at hand, counted from 1

	alike alike         // entries of the file at hand
	again jsonvalue.Doc // in which they are parsed once more

	photos taken // of this run alone: of two photos of one key that different runs read, the later one replaces the other

	folder   *exports.Folder
	products map[string]bool // folders that the exports' own pages name, in lower case; nil: they were not looked at
}

func (connector) Collect(h *sdk.Host) error {
	folder, err := exports.Open(h, "google_takeout")
	if err != nil {
		return err
	}
	r := &run{h: h, folder: folder, head: make([]byte, headBytes), photos: make(taken)}
	r.Large, r.At = problemLarge, r.entry
	r.Read, r.Counted = r.read, []string{streamLocations, streamWatched, streamSearches, streamPhotos, streamMail, streamSubscriptions}
	if err := r.Run(h, folder); err != nil {
		return err
	}
	books := r.Totals()
	if books.Kinds["places"]+books.Kinds["timelines"] > 0 {
		delete(books.Problems, problemSealed) // what it stands for is there
	}
	if err := r.coverage(books.Kinds); err != nil {
		return err
	}
	return exports.Report(h, books.Problems, problems...)
}

func init() { sdk.Run(connector{}) }

func main() {}

// The problems besides those of the readers.
const (
	problemHTML     = "history_is_html"
	problemTimeline = "timeline_not_read"
	problemMap      = "places_are_a_map"
	problemSealed   = "timeline_is_encrypted"
	problemTime     = "time_missing"
	problemPlace    = "place_not_on_earth"
	problemLarge    = "value_too_large"
	problemRow      = "row_incomplete"
	problemHeader   = "headers_too_long"
	problemZone     = "time_without_zone"
	problemStrange  = "entry_not_known"
	problemEmpty    = "file_empty"
)

const owner = "manual_action_required"

var problems = []exports.Problem{
	{Code: problemHTML, Text: "files that are HTML, as activities are unless JSON is chosen for them: #; choose JSON for them when you make the next export", Hint: owner},
	{Code: problemTimeline, Text: "timelines of visits and routes, of which nothing is read: #; put an export of before 2025 with Records.json there, which has the places themselves, or say that the file may stay as it is", Hint: owner},
	{Code: problemMap, Text: "maps with places (KML or GPX), which are not read: #; put Records.json of the same time there, if you have it, or say that they may stay as they are", Hint: owner},
	{Code: problemSealed, Text: "notes that the timeline lies encrypted on the phone: #; export it there, and put that file into the folder", Hint: owner},
	{Code: problemTime, Text: "records that were left out, because they have no time that can be read: #; say that the file may stay as it is, if they do not matter", Hint: owner},
	{Code: problemPlace, Text: "latitudes and longitudes that are none, without which their records were collected: #; say that the file may stay as it is, if they do not matter", Hint: owner},
	{Code: problemRow, Text: "rows of lists of subscriptions that were left out, because they have no channel: #; say that the file may stay as it is, if they do not matter", Hint: owner},
	{Code: problemHeader, Text: "messages of which a header is longer than is read: #; their records have its beginning, and are marked", Hint: "not_retriable"},
	{Code: problemZone, Text: "messages without a date that can be read, whose time is that of their first line, which says no zone: #; it was taken as UTC", Hint: "not_retriable"},
	{Code: problemStrange, Text: "entries of a form that is not known, which were left out: #; a newer version of this connector may read them; say that the file may stay as it is, if they do not matter", Hint: owner},
	{Code: problemEmpty, Text: "files without a byte: #; download the export again, or say that they may stay as they are", Hint: owner},
	{Code: problemLarge, Text: "values that were left out, because they are too large for a record: #; say that the file may stay as it is, if they do not matter", Hint: owner},
}

// stores are the kinds of files in an export, and what becomes of each.
var stores = []struct{ store, stream, status, what string }{
	{"places", streamLocations, "collected", "files with places"},
	{"timelines", streamLocations, "unsupported", "files with a timeline"},
	{"maps", streamLocations, "unsupported", "maps with places, as KML or GPX"},
	{"activities", streamWatched, "collected", "files with activities, of which videos watched and searches are collected"},
	{"other_activities", "", "unsupported", "activities of other kinds"},
	{"photos", streamPhotos, "collected", "descriptions of photos"},
	{"mailboxes", streamMail, "collected", "mailboxes, of which the headers are collected"},
	{"subscriptions", streamSubscriptions, "collected", "lists of subscriptions"},
	{"html_activities", "", "unsupported", "files with activities as HTML"},
	{"pictures", "", "unsupported", "pictures, videos and sounds"},
	{"albums", "", "unsupported", "names and settings of albums"},
	{"settings", "", "unsupported", "settings, and pages that describe the export"},
	{"products", "", "unsupported", "files of products that are not collected"},
	{"empty", "", "unsupported", "lists without an entry"},
	{"other", "", "unsupported", "other files, which were not read"},
}

// coverage emits what the exports have, and which of it is collected.
func (r *run) coverage(kinds exports.Tally) error {
	for _, row := range stores {
		n := kinds[row.store]
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

// entry says where the item at hand is in its file.
func (r *run) entry() string { return "entry " + strconv.FormatInt(r.item, 10) }

// noteTime counts the item at hand, one of a stream's, as one without a time.
func (r *run) noteTime(stream string) {
	r.Items(stream).KeptBack++
	r.Books.Miss(stream, problemTime, 1, r.file, r.entry())
}

// noteLarge counts items of a stream that are larger than a record may be.
func (r *run) noteLarge(stream string, n int64) {
	r.Items(stream).KeptBack += n
	r.Books.Miss(stream, problemLarge, n, r.file, "")
}
