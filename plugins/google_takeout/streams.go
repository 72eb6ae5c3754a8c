package main

import (
	"bytes"
	"io"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/pdpp-host/pdpp-host/sdk"
	"github.com/pdpp-host/pdpp-host/sdk/archive"
	"github.com/pdpp-host/pdpp-host/sdk/csv"
	"github.com/pdpp-host/pdpp-host/sdk/exports"
	"github.com/pdpp-host/pdpp-host/sdk/jsonstream"
	"github.com/pdpp-host/pdpp-host/sdk/jsonvalue"
	"github.com/pdpp-host/pdpp-host/sdk/mbox"
	"github.com/pdpp-host/pdpp-host/sdk/sha256"
)

// The streams.
const (
	streamLocations     = "location_history"
	streamWatched       = "youtube_watch_history"
	streamSearches      = "search_history"
	streamPhotos        = "photos"
	streamMail          = "mail_messages"
	streamSubscriptions = "youtube_subscriptions"
	streamCoverage      = "coverage_diagnostics"
)

// headBytes holds the description of a photo whole.
const headBytes = 64 << 10

// json reads a JSON file: a photo's particulars, an array of activities, or places.
func (r *run) json(a *archive.Reader) (store string, err error) {
	n, err := io.ReadFull(a, r.head)
	if err != nil && err != io.EOF && err != io.ErrUnexpectedEOF { //nolint:errorlint // as ReadFull returns them
		return "other", err
	}
	head := r.head[:n]
	if n < len(r.head) {
		if v, err := r.doc.Parse(head); err == nil && v.Get("photoTakenTime").Exists() {
			return "photos", r.photo(v)
		}
	}
	watched := path.Base(a.Entry().Name) == "watch-history.json"
	in := jsonstream.New(io.MultiReader(bytes.NewReader(head), a), "*", "locations.*")
	store, other := "other", false
	err = exports.Elements(r.h, func() bool { return !other && in.Next() }, func() error {
		v := in.Value()
		switch {
		case in.Path() == 1:
			store = "places"
			return r.location(v)
		case v.Get("header").Exists() && v.Get("time").Exists():
			store = "activities"
			return r.activity(v, watched)
		}
		other = true // an array of something else
		return nil
	})
	r.Problems[problemLarge] += in.Oversized()
	if err == nil && !other {
		err = in.Err()
	}
	return store, err
}

// location emits one place of the location history.
func (r *run) location(v jsonvalue.Value) error {
	at, ok := exports.Time(v.Get("timestamp"), 1)
	if !ok { // the form of before 2022
		at, ok = exports.Time(v.Get("timestampMs"), 1000)
	}
	if !ok {
		r.Problems[problemTime]++
		return nil
	}
	rec := r.h.Record(streamLocations)
	latitude, longitude := v.Get("latitudeE7"), v.Get("longitudeE7")
	rec.String("id", sha256.ID(at.Format(time.RFC3339Nano), string(latitude.Raw()), string(longitude.Raw()), string(v.Get("deviceTag").Raw())))
	rec.Time("timestamp", at)
	degrees(rec, "latitude", latitude)
	degrees(rec, "longitude", longitude)
	number(rec, "accuracy_meters", v.Get("accuracy"))
	var kind string
	for it := v.Get("activity").Children(); kind == "" && it.Next(); {
		for guess := it.Value().Get("activity").Children(); kind == "" && guess.Next(); { // the likeliest comes first
			kind = guess.Value().Get("type").Str()
		}
	}
	rec.StringOrNull("activity_type", kind)
	number(rec, "velocity_mps", v.Get("velocity"))
	number(rec, "altitude_m", v.Get("altitude"))
	return rec.Emit()
}

func degrees(rec *sdk.Record, name string, e7 jsonvalue.Value) {
	n, ok := e7.IntOK()
	if !ok {
		rec.Null(name)
		return
	}
	rec.Float(name, float64(n)/1e7)
}

func number(rec *sdk.Record, name string, v jsonvalue.Value) {
	f, ok := v.FloatOK()
	if !ok {
		rec.Null(name)
		return
	}
	rec.Float(name, f)
}

// activity emits a video that was watched, or a search.
func (r *run) activity(v jsonvalue.Value, watched bool) error {
	address, title := v.Get("titleUrl").Str(), v.Get("title").Str()
	query, search := exports.Parameter(address, "/results", "search_query")
	if !search {
		query, search = exports.Parameter(address, "/search", "q")
	}
	_, video := exports.Parameter(address, "/watch", "v")
	if !search && !video && (!watched || address != "") {
		return nil // an activity of another kind
	}
	at, ok := exports.Time(v.Get("time"), 1)
	if !ok {
		r.Problems[problemTime]++
		return nil
	}
	id := sha256.ID(at.Format(time.RFC3339Nano), address, title)
	if search {
		rec := r.h.Record(streamSearches)
		rec.String("id", id)
		rec.Time("timestamp", at)
		rec.StringOrNull("query", query)
		rec.StringOrNull("product", v.Get("header").Str())
		return rec.Emit()
	}
	rec := r.h.Record(streamWatched)
	rec.String("id", id)
	rec.Time("watched_at", at)
	rec.StringOrNull("video_url", address)
	rec.StringOrNull("video_title", strings.TrimPrefix(title, "Watched "))
	channel := v.Get("subtitles").At(0)
	rec.StringOrNull("channel_name", channel.Get("name").Str())
	rec.StringOrNull("channel_url", channel.Get("url").Str())
	return rec.Emit()
}

// photo emits a photo's particulars.
func (r *run) photo(v jsonvalue.Value) error {
	at, ok := exports.Time(v.Get("photoTakenTime").Get("timestamp"), 1)
	title := v.Get("title").Str()
	if !ok {
		r.Problems[problemTime]++
		return nil
	}
	rec := r.h.Record(streamPhotos)
	if address := v.Get("url").Str(); address != "" { // one photo in several albums has one address
		rec.String("id", sha256.ID(address))
	} else {
		rec.String("id", sha256.ID(title, at.Format(time.RFC3339), v.Get("creationTime").Get("timestamp").Str()))
	}
	rec.Time("event_time", at)
	rec.String("filename", title)
	rec.StringOrNull("title", title)
	rec.StringOrNull("description", v.Get("description").Str())
	place := v.Get("geoData")
	if place.Get("latitude").Float() == 0 && place.Get("longitude").Float() == 0 { // unknown, not the Gulf of Guinea
		place = jsonvalue.Value{}
	}
	for _, field := range []string{"latitude", "longitude", "altitude"} {
		number(rec, field, place.Get(field))
	}
	for _, field := range []string{"blob_ref", "content_sha256", "size_bytes", "hydration_error"} {
		rec.Null(field)
	}
	rec.String("hydration_status", "unavailable")
	return rec.Emit()
}

// subscriptions reads the list of subscriptions; no other table is a stream's.
func (r *run) subscriptions(a *archive.Reader) (store string, err error) {
	in, other := csv.New(a), false
	err = exports.Elements(r.h, func() bool { return !other && in.Next() }, func() error {
		if other = !in.Has("Channel Id") || !in.Has("Channel Url"); other {
			return nil
		}
		rec := r.h.Record(streamSubscriptions)
		rec.String("id", in.Get("Channel Id"))
		rec.StringOrNull("channel_url", in.Get("Channel Url"))
		rec.StringOrNull("channel_title", in.Get("Channel Title"))
		return rec.Emit()
	})
	if other || !in.Has("Channel Id") {
		return "other", err
	}
	r.Problems[problemLarge] += in.Large()
	if err == nil {
		err = in.Err()
	}
	return "subscriptions", err
}

// mail reads a mailbox, when a stream needs it: it may be of tens of gigabytes.
func (r *run) mail(a *archive.Reader) error {
	if !r.Wanted[streamMail] {
		return nil
	}
	in := mbox.New(a)
	if err := exports.Elements(r.h, in.Next, func() error { return r.message(in) }); err != nil {
		return err
	}
	return in.Err()
}

// message emits one message of a mailbox.
func (r *run) message(in *mbox.Reader) error {
	sender, when, _ := strings.Cut(strings.TrimPrefix(in.From(), "From "), " ")
	received, err := time.Parse("Mon Jan 2 15:04:05 -0700 2006", strings.Join(strings.Fields(when), " "))
	date, dated := in.Date("Date")
	if err != nil && !dated {
		r.Problems[problemTime]++
		return nil
	}
	if err != nil {
		received = date
	}
	number, _, _ := strings.Cut(sender, "@")
	id := in.Header("Message-ID")
	if number == "" || strings.Trim(number, "0123456789") != "" {
		number = sha256.ID(id, received.UTC().Format(time.RFC3339), in.Raw("Subject"))
	}
	rec := r.h.Record(streamMail)
	rec.String("id", number)
	rec.StringOrNull("thread_id", in.Header("X-GM-THRID")) //nolint:misspell // as Gmail spells it
	rec.StringOrNull("subject", in.Header("Subject"))
	from := append(in.Addresses("From"), mbox.Address{})[0]
	rec.StringOrNull("from_name", from.Name)
	rec.StringOrNull("from_email", from.Email)
	rec.Strings("to", in.Emails("To"))
	rec.Strings("cc", in.Emails("Cc"))
	rec.Strings("bcc", in.Emails("Bcc"))
	rec.Strings("reply_to", in.Emails("Reply-To"))
	rec.Time("date", date)
	rec.Time("received_at", received)
	rec.StringOrNull("message_id", id)
	rec.StringOrNull("in_reply_to", in.Header("In-Reply-To"))
	rec.Strings("references", strings.Fields(in.Header("References")))
	rec.Int("size_bytes", in.Size())
	labels := strings.FieldsFunc(in.Header("X-Gmail-Labels"), func(c rune) bool { return c == ',' })
	rec.Strings("labels", labels)
	rec.Bool("is_draft", slices.Contains(labels, "Draft") || slices.Contains(labels, "Drafts"))
	rec.Bool("is_flagged", slices.Contains(labels, "Starred"))
	rec.Bool("is_seen", !slices.Contains(labels, "Unread"))
	rec.Bool("has_attachments", in.Attachments() > 0)
	return rec.Emit()
}
