package main

import (
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/pdpp-host/pdpp-host/sdk/exports"
	"github.com/pdpp-host/pdpp-host/sdk/files"
	"github.com/pdpp-host/pdpp-host/sdk/fingerprint"
	"github.com/pdpp-host/pdpp-host/sdk/jsonstream"
	"github.com/pdpp-host/pdpp-host/sdk/jsonvalue"
)

// export is one archive of an account, in one source or, as its parts, in several.
type export struct {
	sources   []*exports.Source
	generated string // RFC 3339 in UTC: later ones compare as larger
	account   string
	mixed     bool // it has two archives, each with an account or a time of its own
	partial   bool
	described bool                     // by a manifest
	list      place                    // the file that says what the archive has
	listed    map[string]string        // files that the manifest or the index of months names for a stream, with the stream
	counts    map[string]int64         // of the entries of those files, where it says them
	main      map[string]bool          // streams whose main kind of data the manifest names
	old       bool                     // its form is that of 2012 to 2017
	months    bool                     // it has posts by month, as those have
	bare      bool                     // it is known by a table of posts alone
	spread    bool                     // each part of it that describes itself lists the files of all parts
	numbers   map[string]map[int]place // of the files of a kind, which count from 0
	notes     notes
	fault     error // why the first file of it could not be read that may say when it was made
	faultAt   string
}

// place is a file of a source.
type place struct {
	source *exports.Source
	name   string
}

// timeForm makes times whose texts compare as they do.
const timeForm = "2006-01-02T15:04:05.000Z"

// sum changes with any source of the archives, and with whether the others could be read.
func (r *run) sum() int64 {
	sum := fingerprint.Start
	for _, x := range r.exports {
		for _, s := range x.sources {
			sum = fingerprint.Mix(fingerprint.Text(sum, s.Name) ^ uint64(s.Size)<<32 ^ uint64(s.MTimeMS))
		}
	}
	if r.blind {
		sum = fingerprint.Mix(sum) // they are read again once everything can be
	}
	const exact = 1<<53 - 1 // what a number of JSON holds
	return int64(sum & exact)
}

// proves reports whether the archive says that it has all of a stream, so that what it lacks was deleted.
func (x *export) proves(stream string) bool { return x.described && !x.partial && x.main[stream] }

// changes is when the sources of the archives were changed, see files.Changes.
func (r *run) changes() (changes int64) {
	for _, x := range r.exports {
		for _, s := range x.sources {
			changes = files.Changes(changes, s.CTimeMS)
		}
	}
	return changes
}

// add takes another part of the same archive in.
func (x *export) add(part *export) {
	if x.described && part.described {
		x.spread = slices.Equal(exports.Sorted(x.listed), exports.Sorted(part.listed)) && (x.spread || len(x.sources) == 1)
	}
	x.sources = append(x.sources, part.sources...)
	if x.account == "" {
		x.account = part.account
	}
	x.described = x.described || part.described
	x.partial = x.partial || part.partial
	x.months = x.months || part.months
	if x.list.source == nil {
		x.list = part.list
	}
	for file, stream := range part.listed {
		x.listed[file] = stream
	}
	for file, n := range part.counts {
		if before, twice := x.counts[file]; !twice || n < before { // parts may have a file of one name each
			x.counts[file] = n
		}
	}
	for stream := range part.main {
		x.main[stream] = true
	}
	for kind, numbers := range part.numbers {
		for n, at := range numbers {
			x.number(kind, n, at)
		}
	}
	x.notes.add(&part.notes)
}

// number takes in that a file is the one of that number of its kind.
func (x *export) number(kind string, n int, at place) {
	if x.numbers[kind] == nil {
		x.numbers[kind] = make(map[int]place)
	}
	x.numbers[kind][n] = at
}

// describe looks for what a source says of itself. It returns nil for one that is no archive of X, and an error, with its
// place, if that cannot be found out.
func (r *run) describe(s *exports.Source) (x *export, at string, err error) {
	a, err := s.Open(r.folder.Root)
	if err != nil {
		return nil, s.Name, err
	}
	defer a.Close()
	x = &export{sources: []*exports.Source{s}, listed: make(map[string]string), counts: make(map[string]int64), main: make(map[string]bool), numbers: make(map[string]map[int]place), notes: notes{room: &r.room}}
	known, met := false, map[string]bool{}
	for a.Next() {
		f := s.File(a)
		if exports.Hidden(f.Name) || ruleOf(f.Name) != "" {
			continue
		}
		is, lost := false, problemOf(f)
		if lost == nil {
			is, lost = x.look(f)
		}
		if lost != nil && !met[f.Place] { // a second file of one name is no loss of the first
			if r.lost[f.Place] = lost; err == nil {
				at, err = f.Place, lost
			}
		}
		met[f.Place] = true
		if is {
			x.bare = (x.bare || !known) && f.Base() == "tweets.csv"
			known = true
		}
	}
	switch {
	case known:
	case a.Err() != nil:
		return nil, s.Name, a.Err()
	case err != nil && !s.Unpacked():
		return nil, at, err
	default:
		return nil, "", nil
	}
	if x.generated == "" {
		x.fault, x.faultAt = err, at
		day, ok := dayIn(s.Name)
		if !ok {
			if day, err = r.lastIn(s); err != nil {
				return nil, s.Name, err
			}
		}
		x.generated = day.Format(timeForm)
	}
	return x, "", nil
}

// isScript reports whether a file has the name of one with data.
func isScript(f *exports.File) bool { return f.Ending() == ".js" || f.Ending() == ".json" }

// find returns the first file of a source of which is holds, nil if there is none.
func (r *run) find(s *exports.Source, is func(f *exports.File) bool) *exports.File {
	a, err := s.Open(r.folder.Root)
	if err != nil {
		return nil // it could be opened before
	}
	defer a.Close()
	for a.Next() {
		if f := s.File(a); !exports.Hidden(f.Name) && is(f) {
			return f
		}
	}
	return nil
}

// look takes what one file says of the archive, and reports whether it is one of an archive's. The error is why what it
// says could not be read, or not to its end.
func (x *export) look(f *exports.File) (is bool, lost error) {
	if !isScript(f) {
		return f.Base() == "tweets.csv", nil
	}
	s, err := open(f)
	if len(s.head) == 0 {
		if err == nil && isOwn(f.Base()) {
			err = errEmpty
		}
		return false, err
	}
	x.old = x.old || s.kind == kindGrailbird || descriptions[s.name]
	switch {
	case strings.HasSuffix(s.name, "__THAR_CONFIG"):
		lost = x.manifest(s)
		x.list = place{x.sources[0], f.Name}
	case s.name == "var payload_details":
		lost = x.created(s)
	case s.name == "var user_details":
		lost = x.owner(s, "id")
	case s.name == "var tweet_index":
		lost = x.index(s)
		x.list = place{x.sources[0], f.Name}
	case s.kind == "account":
		lost = x.owner(s, "*.account.accountId")
	case s.kind == "note_tweet":
		lost = x.notes.read(s, f.Place)
	case s.kind == kindGrailbird:
		x.months = true
	default:
		if s.part >= 0 && s.streamOfKind() != "" {
			x.number(s.kind, s.part, place{x.sources[0], f.Name})
		}
		return s.kind != "" && !s.isViewer(f.Name), nil
	}
	return true, lost
}

// manifest reads the description of an archive.
func (x *export) manifest(s script) error {
	in := jsonstream.New(s.whole, "userInfo", "archiveInfo", "dataTypes")
	in.SkipPast('=')
	for in.Next() {
		v := in.Value()
		switch in.Path() {
		case 0:
			x.isOf(text(v.Get("accountId")))
		case 1:
			if at, ok := exports.Time(v.Get("generationDate"), 1); ok {
				x.mixed = x.mixed || x.described && x.generated != at.Format(timeForm)
				x.generated, x.described = at.Format(timeForm), true
			}
			x.partial = v.Get("isPartialArchive").Bool()
		case 2:
			for it := v.Children(); it.Next(); {
				kind := it.Name().Str()
				stream := listedStreams[kind]
				for file := it.Value().Get("files").Children(); stream != "" && file.Next(); {
					x.names(stream, file.Value().Get("fileName"), file.Value().Get("count"))
					x.main[stream] = x.main[stream] || !strings.HasPrefix(kind, "community") && !strings.Contains(kind, "Circle") && !strings.Contains(kind, "Group")
				}
			}
		}
	}
	return in.Err()
}

// names takes in a file that the archive says it has for a stream, with the number of its entries, a text or a number.
func (x *export) names(stream string, file, count jsonvalue.Value) {
	name := path.Base(file.Str())
	x.listed[name] = stream
	if n, err := strconv.ParseInt(text(count), 10, 64); err == nil {
		x.counts[name] = n
	}
}

// index reads the list of months in an archive of 2012 to 2017.
func (x *export) index(s script) error {
	in := jsonstream.New(s.whole, "*")
	in.SkipPast('=')
	for in.Next() {
		if v := in.Value(); v.Get("file_name").Str() != "" {
			x.names(streamTweets, v.Get("file_name"), v.Get("tweet_count"))
		}
	}
	return in.Err()
}

// listedStreams are the streams of the manifest's data types.
var listedStreams = map[string]string{
	"tweet": streamTweets, "tweets": streamTweets, "communityTweet": streamTweets, "twitterCircleTweet": streamTweets,
	"directMessage": streamMessages, "directMessages": streamMessages, "directMessageGroup": streamMessages, "directMessagesGroup": streamMessages,
}

// owner takes the account's id, where no manifest has it.
func (x *export) owner(s script, at string) error {
	in := jsonstream.New(s.whole, at)
	for in.SkipPast('='); in.Next(); {
		x.isOf(text(in.Value()))
	}
	return in.Err()
}

// isOf takes in that the archive names an account.
func (x *export) isOf(account string) {
	x.mixed = x.mixed || x.account != "" && account != "" && account != x.account
	if x.account == "" {
		x.account = account
	}
}

// created takes the time of an archive of 2012 to 2017.
func (x *export) created(s script) error {
	in := jsonstream.New(s.whole, "created_at")
	for in.SkipPast('='); in.Next(); {
		if at, ok := exports.Time(in.Value(), 1); ok {
			x.generated = at.Format(timeForm)
		}
	}
	return in.Err()
}

// dayIn returns the day in the name of an archive.
func dayIn(name string) (time.Time, bool) {
	for i := 0; i+len(time.DateOnly) <= len(name); i++ {
		if at, err := time.Parse(time.DateOnly, name[i:i+len(time.DateOnly)]); err == nil {
			return at, true
		}
	}
	return time.Time{}, false
}
