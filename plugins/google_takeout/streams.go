package main

import (
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/pdpp-host/pdpp-host/sdk"
	"github.com/pdpp-host/pdpp-host/sdk/csv"
	"github.com/pdpp-host/pdpp-host/sdk/exports"
	"github.com/pdpp-host/pdpp-host/sdk/fingerprint"
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

// location emits one place of the location history.
func (r *run) location(v jsonvalue.Value) error {
	at, ok := exports.Time(v.Get("timestamp"), 1)
	if !ok { // the form of before 2022
		at, ok = exports.Time(v.Get("timestampMs"), 1000)
	}
	if !ok {
		r.noteTime(streamLocations)
		return nil
	}
	latitude, longitude := v.Get("latitudeE7"), v.Get("longitudeE7")
	id := sha256.ID(at.Format(time.RFC3339Nano), string(latitude.Raw()), string(longitude.Raw()), string(v.Get("deviceTag").Raw()))
	if !latitude.Exists() && !longitude.Exists() {
		if names := unknownMembers(v, placeMembers); len(names) > 0 {
			r.strange(streamLocations, names)
			return nil
		}
	}
	r.siblings(streamLocations, "", v, placeMembers)
	r.unknownGuesses(v)
	r.typed(streamLocations, v, jsonvalue.Number, "accuracy", "velocity", "altitude")
	r.earthly(v, "latitudeE7", "longitudeE7")
	return r.hold(streamLocations, id, at, v, r.place)
}

// place emits one place under its id.
func (r *run) place(id string, at time.Time, v jsonvalue.Value) error {
	rec := r.h.Record(streamLocations)
	rec.String("id", id)
	rec.Time("timestamp", at)
	degrees(rec, "latitude", v, "latitudeE7")
	degrees(rec, "longitude", v, "longitudeE7")
	number(rec, "accuracy_meters", v.Get("accuracy"))
	rec.StringOrNull("activity_type", guessed(v))
	number(rec, "velocity_mps", v.Get("velocity"))
	number(rec, "altitude_m", v.Get("altitude"))
	return rec.Emit()
}

func number(rec *sdk.Record, name string, v jsonvalue.Value) {
	f, ok := v.FloatOK()
	if !ok {
		rec.Null(name)
		return
	}
	rec.Float(name, f)
}

// photo emits a photo's particulars.
func (r *run) photo(v jsonvalue.Value) error {
	at, ok := exports.Time(v.Get("photoTakenTime").Get("timestamp"), 1)
	title := v.Get("title").Str()
	if !ok {
		r.noteTime(streamPhotos)
		return nil
	}
	r.typed(streamPhotos, v, jsonvalue.String, "title", "description")
	r.typed(streamPhotos, v, jsonvalue.Object, "geoData", "geoDataExif")
	place := takenAt(v)
	r.typed(streamPhotos, place, jsonvalue.Number, "altitude")
	r.earthly(place, "latitude", "longitude")
	id := photoID(r.file.Base(), v, at)
	if v.Get("url").Str() == "" {
		id, _ = r.photos.own(id, fingerprint.Text(fingerprint.Start, place.Raw()))
	}
	rec := r.h.Record(streamPhotos)
	rec.String("id", id)
	rec.Time("event_time", at)
	rec.String("filename", title)
	rec.StringOrNull("title", title)
	rec.StringOrNull("description", v.Get("description").Str())
	degrees(rec, "latitude", place, "latitude")
	degrees(rec, "longitude", place, "longitude")
	number(rec, "altitude", place.Get("altitude"))
	for _, field := range []string{"blob_ref", "content_sha256", "size_bytes", "hydration_error"} {
		rec.Null(field)
	}
	rec.String("hydration_status", "unavailable")
	return rec.Emit()
}

// channels are the columns of a list of subscriptions.
type channels struct{ id, address, title string }

// subscriptions reads a table. The list of subscriptions is known by the names of its columns, or
// by its rows: an id of a channel, and the address that has it.
func (r *run) subscriptions(content io.Reader) (exports.Outcome, error) {
	in := csv.New(content)
	in.Nameless(func(row []string) bool {
		return slices.ContainsFunc(row, func(field string) bool { return isChannel(field) || strings.Contains(field, channelAddress) })
	})
	at, known := channels{"Channel Id", "Channel Url", "Channel Title"}, false
	var before []int64 // lines in front of the first row that tells
	var several severalChannels
	history := namesHistory(r.file)
	err := exports.Elements(r.h, func() bool { return (known || len(before) < maxBefore) && in.Next() }, func() error {
		if !known {
			if known = in.Has(at.id) && in.Has(at.address); !known {
				var found channels
				if found, known = channelColumns(in); known {
					at = found
				}
			}
		}
		if !known {
			before = append(before, in.Line())
			several.look(in)
			history = history || hasHistory(in)
			return nil
		}
		return r.subscription(in, at)
	})
	folder, _ := product(r.file)
	switch {
	case known || in.Has(at.id) && in.Has(at.address):
	case err == nil && in.Err() == nil && len(before) == 0:
		return exports.Outcome{Fate: exports.Rule, Kind: "empty"}, nil
	case strings.Contains(folder, "YouTube") && !several.met && !listsChannels(r.file) && !history:
		return exports.Outcome{Fate: exports.Rule, Kind: "products"}, err // comments, playlists, channels
	default:
		return exports.Outcome{Kind: "other"}, err
	}
	for _, line := range before {
		r.noteRow(line)
	}
	r.noteLarge(streamSubscriptions, in.Large())
	r.Items(streamSubscriptions).KeptBack += in.Damaged()
	if err == nil {
		err = in.Err()
	}
	return exports.Outcome{Fate: exports.Read, Kind: "subscriptions"}, err
}

// maxChannelColumns is how many columns a list of subscriptions has at most.
const maxChannelColumns = 4

// maxBefore is how many rows may be damaged in front of the one by which a table is known.
const maxBefore = 8

// subscription emits the row at hand.
func (r *run) subscription(in *csv.Reader, at channels) error {
	r.item = in.Line()
	if in.Get(at.id) == "" {
		r.noteRow(in.Line())
		return nil
	}
	rec := r.h.Record(streamSubscriptions)
	rec.String("id", in.Get(at.id))
	rec.StringOrNull("channel_url", in.Get(at.address))
	rec.StringOrNull("channel_title", in.Get(at.title))
	return rec.Emit()
}

// noteRow counts a row that has no channel.
func (r *run) noteRow(line int64) {
	r.Items(streamSubscriptions).KeptBack++
	r.Books.Miss(streamSubscriptions, problemRow, 1, r.file, "line "+strconv.FormatInt(line, 10))
}

// channelColumns finds the columns of a list of subscriptions in the row at hand, whatever their
// names are: the id of the channel, its address, and the other one.
func channelColumns(in *csv.Reader) (at channels, ok bool) {
	row, columns := in.Row(), in.Columns()
	if len(row) != len(columns) || len(row) > maxChannelColumns {
		return at, false
	}
	for i, field := range row {
		switch {
		case isChannel(field) || isNamed(field, row):
			at.id = columns[i]
		case strings.Contains(field, channelAddress):
			at.address = columns[i]
		case at.title == "":
			at.title = columns[i]
		}
	}
	return at, at.id != "" && at.address != ""
}

// channelAddress stands in the address of a channel, in front of its id.
const channelAddress = "youtube.com/channel/"

// isNamed reports whether a field is the id that an address of the row has.
func isNamed(field string, row []string) bool {
	return strings.HasPrefix(field, "UC") && slices.ContainsFunc(row, func(address string) bool { return strings.HasSuffix(address, channelAddress+field) })
}

// severalChannels finds a narrow table with more than one channel, or with the address of one: it may be a
// list of subscriptions in another form. The other tables of YouTube have the id of one channel, the
// owner's, or are wider.
type severalChannels struct {
	first string
	met   bool
}

func (s *severalChannels) look(in *csv.Reader) {
	if len(in.Columns()) > maxChannelColumns {
		return
	}
	for _, field := range in.Row() {
		switch {
		case strings.Contains(field, channelAddress):
			s.met = true
		case !isChannel(field):
		case s.first == "":
			s.first = field
		default:
			s.met = s.met || field != s.first
		}
	}
}

// isChannel reports whether a text is the id of a channel of YouTube.
func isChannel(text string) bool {
	const length = 24
	return len(text) == length && strings.HasPrefix(text, "UC") && !strings.ContainsAny(text, " /:.,")
}

// mail reads a mailbox, when a stream needs it: it may be of tens of gigabytes.
func (r *run) mail(content io.Reader) (exports.Outcome, error) {
	o := exports.Outcome{Fate: exports.Read, Kind: "mailboxes"}
	if !r.Wanted[streamMail] {
		return o, nil
	}
	in, known := mbox.New(content), make(taken)
	err := exports.Elements(r.h, in.Next, func() error {
		r.item++
		return r.message(in, known)
	})
	if in.Taken() > 0 {
		r.Books.Note(exports.TakenForLatin, r.file.Place, "")
	}
	if err == nil {
		err = in.Err()
	}
	switch {
	case exports.ProblemOf(err) == notMailbox:
		o.Kind = "other"
	case err == nil && r.item == 0: // empty lines alone
		o = exports.Outcome{Fate: exports.Rule, Kind: "empty"}
	}
	return o, err
}

// notMailbox is the problem of a file in which no line begins a message.
const notMailbox = "mbox_not_a_mailbox"

// message emits one message of a mailbox of which the known ones were emitted.
func (r *run) message(in *mbox.Reader, known taken) error {
	sender, when, _ := strings.Cut(strings.TrimPrefix(in.From(), "From "), " ")
	received, err := time.Parse("Mon Jan 2 15:04:05 -0700 2006", strings.Join(strings.Fields(when), " "))
	date, dated := in.Date("Date")
	if dated = dated && !date.IsZero(); !dated && strings.TrimSpace(in.Header("Date")) != "" {
		r.Items(streamMail).Unknown("Date that is no time")
	}
	timed := err == nil && !received.IsZero()
	if !timed && !dated {
		var zoned bool
		if received, zoned, timed = in.Received(); !timed {
			r.noteTime(streamMail)
			return nil
		}
		if !zoned {
			r.Books.Note(problemZone, r.file.Place, "message "+strconv.FormatInt(r.item, 10))
		}
	} else if !timed {
		received = date
	}
	id, again := known.own(messageID(in, sender, received), messageSum(in, received))
	if again {
		r.Items(streamMail).Duplicate++
		return nil
	}
	for _, field := range [...]string{"Subject", "From"} {
		for _, name := range mbox.Undecoded(in.Raw(field)) {
			r.Items(streamMail).Unknown("encoding " + name)
		}
	}
	rec := r.h.Record(streamMail)
	rec.String("id", id)
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
	rec.StringOrNull("message_id", in.Header("Message-ID"))
	rec.StringOrNull("in_reply_to", in.Header("In-Reply-To"))
	rec.Strings("references", strings.Fields(in.Header("References")))
	rec.Int("size_bytes", in.Size())
	list := labels(in.Header("X-Gmail-Labels"))
	rec.Strings("labels", list)
	m := marksOf(list)
	for _, field := range []struct {
		name string
		mark mark
	}{{"is_draft", m.draft}, {"is_flagged", m.starred}, {"is_seen", m.seen}} {
		if field.mark.known {
			rec.Bool(field.name, field.mark.is)
		} else {
			rec.Null(field.name)
		}
	}
	rec.Bool("has_attachments", in.Attachments() > 0)
	rec.Bool("headers_truncated", in.Cut())
	if in.Cut() {
		r.Items(streamMail).Cut++
		r.Books.Note(problemHeader, r.file.Place, "message "+strconv.FormatInt(r.item, 10))
	}
	return rec.Emit()
}
