package main

import (
	"bytes"
	"io"
	"path"
	"strconv"
	"strings"

	"github.com/pdpp-host/pdpp-host/sdk/exports"
	"github.com/pdpp-host/pdpp-host/sdk/jsonstream"
	"github.com/pdpp-host/pdpp-host/sdk/jsonvalue"
)

// headBytes holds the description of a photo whole.
const headBytes = 64 << 10

// read reads one file. Its first bytes say how, and what is in it what it is; its name is a hint.
func (r *run) read(f *exports.File) (exports.Outcome, error) {
	r.file, r.item, r.alike = f, 0, alike{}
	if r.products == nil { // a run that reads nothing needs none
		if err := r.describe(); err != nil {
			return exports.Outcome{}, err
		}
	}
	if kind := r.ruleFor(f); kind != "" {
		return exports.Outcome{Fate: exports.Rule, Kind: kind}, nil
	}
	if f.Problem != nil {
		return exports.Outcome{Kind: "other"}, nil //nolint:nilerr // Each tells of it
	}
	if f.Ending() == ".mbox" {
		return r.mailbox(f)
	}
	n, err := io.ReadFull(f.Text(), r.head)
	head, rest := r.head[:n], f.Text()
	switch {
	case err == io.EOF || err == io.ErrUnexpectedEOF: //nolint:errorlint // as ReadFull returns them
		rest = strings.NewReader("")
	case err != nil: // what stands before is read
		rest = failing{err}
	}
	whole := io.MultiReader(bytes.NewReader(head), rest)
	switch text := bytes.TrimLeft(head, "\x00 \t\r\n"); {
	case n == 0 && err == io.EOF && holds[f.Ending()]: //nolint:errorlint // as above
		return empty(), nil
	case len(text) == 0 && err == io.EOF: //nolint:errorlint // as above
		return exports.Outcome{Kind: "empty", Fate: exports.Rule}, nil
	case len(text) == 0:
		return exports.Outcome{Kind: "other"}, exports.Drain(whole)
	case text[0] == '{' || text[0] == '[' || text[0] != '<' && f.Ending() == ".json":
		return r.json(whole, head, n < len(r.head) && err != nil)
	case text[0] == '<':
		return page(f.Name, text), nil
	case bytes.HasPrefix(text, []byte("From ")):
		return r.mail(whole)
	case f.Ending() == ".csv":
		return r.subscriptions(whole)
	case bytes.Contains(text, []byte("ncrypted")) && bytes.Contains(text, []byte("Timeline")) || f.Base() == "Encrypted Backups.txt":
		return exports.Outcome{Fate: exports.Known, Kind: "settings", Why: problemSealed}, nil
	}
	return exports.Outcome{Kind: "other"}, nil
}

// holds are the endings of files that have something in them: one without a byte was lost on its way.
var holds = map[string]bool{".json": true, ".csv": true, ".html": true}

// empty says what becomes of a file without a byte.
func empty() exports.Outcome {
	return exports.Outcome{Fate: exports.Damaged, Kind: "other", Why: problemEmpty}
}

// mailbox reads a file with the name of a mailbox.
func (r *run) mailbox(f *exports.File) (exports.Outcome, error) {
	first := make([]byte, 1)
	n, err := io.ReadFull(f, first)
	switch {
	case err == io.EOF: //nolint:errorlint // as ReadFull returns it
		return empty(), nil
	case err != nil:
		return r.mail(failing{err})
	}
	return r.mail(io.MultiReader(bytes.NewReader(first[:n]), f))
}

// failing is a stream that has failed.
type failing struct{ err error }

func (f failing) Read([]byte) (int, error) { return 0, f.err }

// page says what a file of HTML or XML is. Takeout writes one that describes the export right into its
// folder, and the classes of an activity are the same in every language.
func page(name string, text []byte) exports.Outcome {
	if end := strings.ToLower(path.Ext(name)); end == ".kml" || end == ".gpx" || bytes.Contains(text, []byte("<kml")) || bytes.Contains(text, []byte("<gpx")) {
		return exports.Outcome{Fate: exports.Known, Kind: "maps", Why: problemMap}
	}
	activity := bytes.Contains(text, []byte("outer-cell")) || bytes.Contains(text, []byte("content-cell"))
	if !activity && (isPage(name) || strings.HasSuffix(name, "archive_browser.html")) {
		return exports.Outcome{Fate: exports.Rule, Kind: "settings"}
	}
	if !activity && bytes.Contains(text, []byte(`class="note`)) { // one of Keep
		return exports.Outcome{Fate: exports.Rule, Kind: "products"}
	}
	if !activity && !isHTML(name, text) {
		return exports.Outcome{Kind: "other"}
	}
	return exports.Outcome{Fate: exports.Known, Kind: "html_activities", Why: problemHTML}
}

// isHTML reports whether a file with elements is HTML, and not XML of another kind.
func isHTML(name string, text []byte) bool {
	if end := strings.ToLower(path.Ext(name)); end == ".html" || end == ".htm" || end == ".xhtml" {
		return true
	}
	text = bytes.ToLower(text)
	return bytes.Contains(text, []byte("<html")) || bytes.HasPrefix(text, []byte("<!doctype html"))
}

// The lists that a JSON file may have, in the order of the paths.
const (
	pathList = iota
	pathLocations
	pathSegments
	pathObjects
	pathSignals
	pathEdits
	pathTaken
)

var listPaths = []string{"*", "locations.*", "semanticSegments.*", "timelineObjects.*", "rawSignals.*", "timelineEdits.*", "photoTakenTime"}

// listStarts are the first members of elements, by which they are found where the beginning of a file is missing.
var listStarts = []jsonstream.Start{
	{Path: pathList, Names: []string{"header"}},
	{Path: pathLocations, Names: []string{"timestampMs", "latitudeE7", "timestamp"}},
	{Path: pathSegments, Names: []string{"startTime"}},
	{Path: pathObjects, Names: []string{"activitySegment", "placeVisit"}},
}

// json reads a JSON file. A small one is looked at as a whole: a photo's description, or a list
// without an entry.
func (r *run) json(in io.Reader, head []byte, small bool) (exports.Outcome, error) {
	if r.inLines(head) {
		in = newLineList(in)
	} else if small {
		if v, err := r.doc.Parse(bytes.TrimSpace(head)); err == nil {
			if o, done, err := r.small(v); done {
				return o, err
			}
		}
	}
	s := jsonstream.New(in, listPaths...)
	s.Begins(listStarts...)
	list := &activities{r: r, watched: isWatchHistory(r.file), history: inHistory(r.file)}
	o := exports.Outcome{Kind: "other"}
	var front []stranger // in front of the first entry that tells
	err := exports.Elements(r.h, func() bool { return len(front) < maxBefore && s.Next() }, func() error {
		r.item++
		v := s.Value()
		switch {
		case s.Path() == pathLocations:
			o = exports.Outcome{Fate: exports.Read, Kind: "places"}
			return r.location(v)
		case s.Path() == pathTaken: // of a photo whose description was not read whole, or is damaged
			o = exports.Outcome{Fate: exports.Damaged, Kind: "photos", Why: problemLarge, At: strconv.FormatInt(r.file.Size, 10) + " bytes", Of: streamPhotos}
		case s.Path() != pathList || isSegment(v):
			o = exports.Outcome{Fate: exports.Known, Kind: "timelines", Why: problemTimeline}
		case isActivity(v) || o.Kind == "activities":
			o = exports.Outcome{Fate: exports.Read, Kind: "activities"}
			return list.add(v)
		case o.Kind == "other":
			front = append(front, stranger{r.item, unknownMembers(v, activityMembers)})
		default:
			r.other()
		}
		return nil
	})
	if o.Kind == "activities" {
		r.strangers(front)
	}
	if err == nil {
		err = list.close()
	}
	if err == nil {
		err = r.release()
	}
	stream := streamSearches
	if o.Kind == "places" {
		stream = streamLocations
	}
	r.noteLarge(stream, s.Oversized())
	if o.Kind == "photos" {
		r.Items(streamPhotos).KeptBack++
	}
	if o.Fate == exports.Read {
		r.Books.NoteHalves(r.file, s.Halves())
	}
	if head = bytes.TrimLeft(head, "\x00 \t\r\n"); o.Kind == "other" && (r.item > 0 || head[0] != '{' && head[0] != '[') {
		return o, err
	}
	if err == nil && o.Fate != exports.Known {
		err = s.Err()
	}
	return o, err
}

// isSegment reports whether an element is one of a timeline as a phone of Apple's exports it.
func isSegment(v jsonvalue.Value) bool {
	return v.Get("startTime").Exists() && (v.Get("visit").Exists() || v.Get("activity").Exists() || v.Get("timelinePath").Exists() || v.Get("timelineMemory").Exists())
}

// small judges a file that was read whole; done is false for one that has lists to be read.
func (r *run) small(v jsonvalue.Value) (o exports.Outcome, done bool, err error) {
	is := func(fate exports.Fate, kind, why string) (exports.Outcome, bool, error) {
		return exports.Outcome{Fate: fate, Kind: kind, Why: why}, true, nil
	}
	if v.Kind() == jsonvalue.Array {
		if v.Len() == 0 {
			return is(exports.Rule, "empty", "")
		}
		return o, false, nil
	}
	has := func(name string) bool { return v.Get(name).Exists() }
	switch {
	case has("photoTakenTime"):
		r.item = 1
		r.Books.NoteHalves(r.file, int64(r.doc.Halves()))
		return exports.Outcome{Fate: exports.Read, Kind: "photos"}, true, r.photo(v)
	case has("locations"):
		if v.Get("locations").Len() == 0 {
			return is(exports.Read, "places", "")
		}
	case has("semanticSegments") || has("timelineObjects") || has("rawSignals") || has("timelineEdits"):
		return is(exports.Known, "timelines", problemTimeline)
	case has("deviceSettings") || has("hasReportedLocations"):
		return is(exports.Rule, "settings", "")
	case isNote(v), v.Get("kind").Str() == "tasks#taskLists":
		return is(exports.Rule, "products", "")
	case isAlbum(v):
		return is(exports.Rule, "albums", "")
	default:
		return is(exports.Unknown, "other", "")
	}
	return o, false, nil
}

// isNote reports whether an object is a note of Keep, which is another product in every language.
func isNote(v jsonvalue.Value) bool {
	return v.Get("userEditedTimestampUsec").Exists() && v.Get("isTrashed").Exists()
}

// isAlbum reports whether an object describes an album of photos.
func isAlbum(v jsonvalue.Value) bool {
	if !v.Get("title").Exists() {
		return false
	}
	for it := v.Children(); it.Next(); {
		switch it.Name().View() {
		case "title", "description", "access", "date", "location", "geoData", "enrichments", "sharedAlbumComments", "albumData":
		default:
			return false
		}
	}
	return true
}
