package main

import (
	_ "embed"
	"strconv"

	"github.com/pdpp-host/pdpp-host/sdk"
	"github.com/pdpp-host/pdpp-host/sdk/accounts"
	"github.com/pdpp-host/pdpp-host/sdk/exports"
	"github.com/pdpp-host/pdpp-host/sdk/jsonappend"
)

//go:embed manifest.json
var manifest string

type connector struct{}

func (connector) Manifest() string { return manifest }

func init() { sdk.Run(connector{}) }

func main() {}

// cursorVersion changes with the meaning of a cursor, which is then forgotten.
const cursorVersion = 9

// The problems besides those of the readers.
const (
	problemPartial = "archive_partial"
	problemOlder   = "archive_older"
	problemOthers  = "archive_of_another_account"
	problemForeign = "not_an_export"
	problemMixed   = "archives_in_one"
	problemMissing = "listed_file_missing"
	problemFewer   = "listed_entries_missing"
	problemPart    = "stream_part_missing"
	problemNote    = "long_post_unread"
	problemOrphan  = "long_post_without_post"
	problemBegin   = "post_text_cut_in_archive"
	problemTwice   = "id_twice"
	problemTalk    = "conversation_without_id"
	problemTime    = "time_missing"
	problemID      = "id_missing"
	problemLarge   = "value_too_large"
	problemStrange = "entry_not_known"
	problemPage    = "page_without_data"
	problemMany    = "older_entries_unread"
)

const owner = "manual_action_required"

var problems = []exports.Problem{
	{Code: problemForeign, Text: "archives and folders that are no archive of X: #; say that they may stay as they are", Hint: owner},
	{Code: problemOlder, Text: "archives that are older than the newest one that was collected, or do not say their day, and are not read: #; put the newer one there whole, or say that the older one may stay as it is", Hint: owner},
	{Code: problemOthers, Text: "archives of another account, which were not read: #; move those of each account into a folder of their own, and add a connection for that folder", Hint: owner},
	{Code: problemMixed, Text: "files and folders that have several archives in them, which were not read: #; give each archive a file or folder of its own, and each account a folder with a connection of its own", Hint: owner},
	{Code: problemMissing, Text: "files that the archive does not have, as its list or the numbers of its files say: #; put every part of it into the folder, or say that the archive may stay as it is", Hint: owner},
	{Code: problemFewer, Text: "files that have fewer entries than the archive says of them: #; what they have was read, and nothing was deleted; download the archive again, or say that it may stay as it is", Hint: owner},
	{Code: problemPart, Text: "kinds of data that no part of the archive has: #; put every part of it into the folder, or say that the archive may stay as it is", Hint: owner},
	{Code: problemPartial, Text: "streams that are not whole in this archive: #; earlier records that it lacks stay", Hint: "not_retriable"},
	{Code: problemNote, Text: "whole texts of long posts that are damaged, or have a form that is not known: #; a newer version of this connector may read them", Hint: "retry_on_connector_upgrade"},
	{Code: problemOrphan, Text: "whole texts of long posts that match no post of the archive, and have no id: #; they are no records", Hint: "not_retriable"},
	{Code: problemBegin, Text: "posts of which the archive has the beginning alone: #; they are marked", Hint: "not_retriable"},
	{Code: problemTalk, Text: "conversations without an id: #; their messages were collected without it", Hint: "not_retriable"},
	{Code: problemTwice, Text: "records that were left out, because an earlier one has their id and says something else: #; say that the archive may stay as it is, if they do not matter", Hint: owner},
	{Code: problemTime, Text: "records that were left out, because they have no time that can be read: #; say that the archive may stay as it is, if they do not matter", Hint: owner},
	{Code: problemID, Text: "records that were left out, because they have no id: #; say that the archive may stay as it is, if they do not matter", Hint: owner},
	{Code: problemStrange, Text: "entries of a kind that is not known, which were left out: #; earlier records stay, and a newer version may read them; say that the archive may stay as it is, if they do not matter", Hint: owner},
	{Code: problemPage, Text: "pages that show an archive, without the archive: #; put the folder data that lies beside them in the download into the folder, or the whole download", Hint: owner},
	{Code: problemMany, Text: "entries of older archives that were left out, because more records are there than are compared: #; a newer version of this connector may read them", Hint: "retry_on_connector_upgrade"},
	{Code: problemLarge, Text: "values that were left out, because they are too large for a record: #; say that the archive may stay as it is, if they do not matter", Hint: owner},
}

// run is one collection.
type run struct {
	h       *sdk.Host
	folder  *exports.Folder
	exports []*export // those of the account, the newest first
	others  []*export // those of other accounts, which are not read
	account sdk.Account
	notes   notes
	room    room // of the notes of all archives
	loose   bool // an archive lies unpacked right in the folder, with the folders of its page beside it

	books exports.Books    // of the archives
	fates map[string]*fate // of each source, by name
	had   map[string]bool  // streams that an archive has a file of
	hurt  map[string]bool  // streams that something is missing of
	mixed bool             // a source has several archives
	blind bool             // something in the folder could not be read, and may be an archive or a part of one
	lost  map[string]error // why files could not be read when the archives were looked at, by place
	lists map[string]*sdk.Enumeration
	gone  map[string]int64 // of each stream: records that its list left to the host, which may ask its owner first
	said  *accounts.Books

	last         string          // when the newest archive that was collected was made
	export       *export         // the archive at hand
	turn         int             // its place among the archives
	whole        map[string]bool // files of it that were read to their end
	twice        bool            // one of them is there more than once: a part was copied
	at           *exports.Books  // of the source at hand
	file         *exports.File
	item         int64
	rows         bool   // it is a table
	conversation string // of the messages at hand
	threads      int64  // conversations of the file at hand
	happened     int64  // entries of them that are no messages

	begins int64                      // posts of which the archives have the beginning alone
	begun  map[uint64]string          // the places of the first ones, by the sum of an id
	met    map[string]map[uint64]seen // by stream, and sum of an id
}

func (connector) Collect(h *sdk.Host) error {
	folder, err := exports.Open(h, "twitter_archive")
	if err != nil {
		return err
	}
	r := &run{h: h, folder: folder, books: exports.NewBooks(), fates: make(map[string]*fate), had: make(map[string]bool), hurt: make(map[string]bool), lost: make(map[string]error), room: room{left: maxNotes}, said: accounts.Open(h), begun: make(map[uint64]string), met: make(map[string]map[uint64]seen), gone: make(map[string]int64)}
	r.said.Items(streamTweets)
	r.said.Items(streamMessages)
	if err := r.choose(); err != nil {
		return err
	}
	if err := r.take(); err != nil {
		return err
	}
	for _, x := range r.others {
		if err := r.leave(x, problemOthers); err != nil {
			return err
		}
	}
	folder.Account(r.said, func(s *exports.Source) (*exports.Books, string) {
		f := r.fateOf(s)
		return &f.books, f.why
	})
	all := exports.NewBooks()
	all.Add(folder.Books)
	all.Add(r.books)
	if err := r.coverage(all.Kinds); err != nil {
		return err
	}
	return exports.Report(h, all.Problems, problems...)
}

// each has the files of a source read, and settles them. A fault of the whole source is settled
// under its name.
func (r *run) each(s *exports.Source, read func(f *exports.File) (exports.Outcome, error)) error {
	became := r.fateOf(s)
	books := &became.books
	r.at = books
	a, err := s.Open(r.folder.Root)
	if err != nil {
		r.harm("")
		became.why = exports.ProblemOf(err)
		return books.Settle(s.Name, exports.Outcome{}, err)
	}
	defer a.Close()
	for a.Next() {
		f := s.File(a)
		done, size := a.Progress()
		if err := r.h.Progress("reading "+f.Base(), done, size, "bytes"); err != nil {
			return err
		}
		if exports.Hidden(f.Name) {
			books.Kinds["hidden_files"]++
			continue
		}
		o, err := read(f)
		if err != nil {
			r.harm(o.Kind)
		}
		if err := books.SettleFile(f, o, err); err != nil {
			return err
		}
	}
	if a.Err() == nil {
		return nil
	}
	r.harm("")
	became.why = exports.ProblemOf(a.Err())
	return books.Settle(s.Name, exports.Outcome{}, a.Err())
}

// harm notes that a file could not be read as a whole: something is missing of the stream that it has, of both where
// that is not known.
func (r *run) harm(kind string) {
	if kind != streamMessages {
		r.hurt[streamTweets] = true
	}
	if kind != streamTweets {
		r.hurt[streamMessages] = true
	}
}

// collect reads the archives unless the cursors have them.
func (r *run) collect() error {
	if known, older := r.known(); older {
		for _, x := range r.exports {
			if err := r.leaveOlder(x); err != nil {
				return err
			}
		}
		return nil
	} else if known {
		return r.learn()
	}
	newest := r.newest()
	if r.last = max(r.last, newest.generated); r.blind || r.last > newest.generated {
		r.harm("")
	}
	if err := r.readAll(); err != nil || r.books.Problems.Count(exports.Unreadable) > 0 { // another run may read it
		return err
	}
	for _, stream := range r.h.Streams() {
		list := r.lists[stream]
		if list == nil {
			continue
		}
		if r.hurt[stream] || !r.had[stream] || newest.partial {
			r.books.Problems.Note(problemPartial, 1, stream)
		} else if newest.proves(stream) {
			if err := list.Missing(func(string) error { r.gone[stream]++; return nil }); err != nil {
				return err
			}
			if err := list.Whole(); err != nil {
				return err
			}
		}
	}
	for _, stream := range r.h.Streams() {
		if r.lists[stream] == nil {
			continue
		}
		if err := r.h.State(stream, r.cursor(stream)); err != nil {
			return err
		}
	}
	return nil
}

// newest returns the newest archive that describes itself, or the newest of all where none does.
func (r *run) newest() *export {
	for _, x := range r.exports {
		if x.described {
			return x
		}
	}
	return r.exports[0]
}

// readAll reads every source of the archives, those of the newest first: of an entry that several have its record
// stays.
func (r *run) readAll() error {
	r.lists = make(map[string]*sdk.Enumeration)
	for _, stream := range r.h.Streams() {
		if streams[stream].emit == nil {
			continue
		}
		list, err := r.h.Enumerate(stream, "", "")
		if err != nil {
			return err
		}
		r.lists[stream] = list
	}
	all, names := exports.NewBooks(), []string(nil)
	for i, x := range r.exports {
		r.export, r.turn, r.whole, r.twice, r.books = x, i, make(map[string]bool), false, exports.NewBooks()
		for _, s := range x.sources {
			names = append(names, s.Name)
			if err := r.each(s, r.read); err != nil {
				return err
			}
			r.books.Add(r.fateOf(s).books)
		}
		if r.books.Problems.Count(exports.Unreadable) == 0 {
			r.check()
		}
		all.Add(r.books)
	}
	r.books = all
	missing := exports.MissingParts(r.books.Problems, names)
	if len(missing) > 0 {
		r.harm("")
	}
	for _, s := range r.sources() {
		exports.MissParts(s, missing, &r.fateOf(s).books)
	}
	return r.texts()
}

// known reports whether every stream's cursor has these archives, or a newer one than any of them, and takes over
// what was found then.
func (r *run) known() (known, older bool) {
	known = true
	changes, sum := r.changes(), r.sum()
	for _, stream := range r.h.Streams() {
		if streams[stream].emit == nil {
			continue
		}
		cursor := r.h.Cursor(stream)
		changed := cursor.Get("changes").Int()
		r.last = max(r.last, cursor.Get("generated").Str())
		switch {
		case r.last > r.exports[0].generated: // whatever the version of its cursor
			older = true
		case cursor.Get("v").Int() != cursorVersion:
			known = false
		case cursor.Get("sum").Int() != sum, cursor.Get("unmet").Int() > 0: // the host may have them still
			known = false
		case changed != 0 && changes != 0 && changed != changes:
			known = false
		default:
			r.books = exports.Books{Kinds: exports.ReadTally(cursor.Get("kinds")), Problems: exports.ReadFindings(cursor.Get("problems"))}
			r.remember(cursor.Get("files"))
		}
	}
	if older { // no cursor may go back
		return true, true
	}
	if !known {
		r.books = exports.NewBooks()
		for _, s := range r.sources() {
			delete(r.fates, s.Name)
		}
	}
	return known, false
}

// learn sends the cursors of an earlier version again, with when the archives were changed.
func (r *run) learn() error {
	for _, stream := range r.h.Streams() {
		if streams[stream].emit == nil || r.changes() == 0 || r.h.Cursor(stream).Get("changes").Exists() {
			continue
		}
		if err := r.h.State(stream, r.cursor(stream)); err != nil {
			return err
		}
	}
	return nil
}

func (r *run) cursor(stream string) []byte {
	b := jsonappend.Int(jsonappend.Name([]byte{'{'}, "v"), cursorVersion)
	if account := r.bound(); account != 0 && r.account == (sdk.Account{}) { // what is there may name none
		b = jsonappend.Int(jsonappend.Name(b, "account"), account)
	} else {
		b = r.account.AppendTo(b)
	}
	b = jsonappend.String(jsonappend.Name(b, "generated"), max(r.last, r.newest().generated))
	b = jsonappend.Int(jsonappend.Name(b, "sum"), r.sum())
	if changes := r.changes(); changes != 0 {
		b = jsonappend.Int(jsonappend.Name(b, "changes"), changes)
	}
	if n := r.gone[stream]; n > 0 {
		b = jsonappend.Int(jsonappend.Name(b, "unmet"), n)
	}
	b = r.books.Kinds.AppendJSON(jsonappend.Name(b, "kinds"))
	b = r.books.Problems.AppendJSON(jsonappend.Name(b, "problems"))
	return append(r.appendFates(jsonappend.Name(b, "files")), '}')
}

// stores are the kinds of files in an archive, and what becomes of each.
var stores = []struct{ store, stream, status, what string }{
	{streamTweets, streamTweets, "collected", "files with posts"},
	{streamMessages, streamMessages, "collected", "files with direct messages"},
	{"notes", streamTweets, "collected", "files with the whole texts of long posts"},
	{"deleted", "", "unsupported", "files with posts that you deleted"},
	{"data", "", "unsupported", "files with other data"},
	{"media", "", "unsupported", "pictures, videos and sounds"},
	{"viewer", "", "unsupported", "files of the page that shows the archive"},
	{"copies", "", "unsupported", "files with posts that another file has, too"},
	{"other", "", "unsupported", "other files, which were not read"},
}

// coverage emits what the archives have, and which of it is collected.
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
