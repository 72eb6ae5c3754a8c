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
const cursorVersion = 7

// The problems besides those of the readers.
const (
	problemPartial = "archive_partial"
	problemOlder   = "archive_older"
	problemBeside  = "archive_superseded"
	problemUnread  = "older_archive_unread"
	problemSpare   = "older_archive_kept"
	problemOthers  = "archive_of_another_account"
	problemUnnamed = "archive_without_account"
	problemForeign = "not_an_export"
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
)

const owner = "manual_action_required"

var problems = []exports.Problem{
	{Code: problemForeign, Text: "archives and folders that are no archive of X: #; say that they may stay as they are", Hint: owner},
	{Code: problemOlder, Text: "archives that are older than the one that was collected last, whose records stay, and are not read: #; put the newer one there whole, or say that the older one may stay as it is", Hint: owner},
	{Code: problemBeside, Text: "archives that were not read, because a newer one supersedes them: #", Hint: "not_retriable"},
	{Code: problemUnread, Text: "older archives that were not read, beside a newest one that does not show that it is whole: #; take them out of the folder if the newest one has everything that matters", Hint: owner},
	{Code: problemSpare, Text: "older archives that were not read, beside a newest one that is damaged or lacks a part: #; keep these in the folder, and put the newest one there whole", Hint: owner},
	{Code: problemOthers, Text: "archives of another account, which were not read: #; move those of each account into a folder of their own, and add a connection for that folder", Hint: owner},
	{Code: problemUnnamed, Text: "archives that name no account, while the one collected before does: #; say that they may stay as they are, or move them into a folder of their own, and add a connection for that folder", Hint: owner},
	{Code: problemMissing, Text: "files that the archive lists and does not have: #; put every part of it into the folder, or say that the archive may stay as it is", Hint: owner},
	{Code: problemFewer, Text: "files that have fewer entries than the archive says of them: #; what they have was read, and nothing was deleted; download the archive again, or say that it may stay as it is", Hint: owner},
	{Code: problemPart, Text: "kinds of data that no part of the archive has: #; put every part of it into the folder, or say that the archive may stay as it is", Hint: owner},
	{Code: problemPartial, Text: "streams that are not whole in this archive: #; earlier records that it lacks stay", Hint: "not_retriable"},
	{Code: problemNote, Text: "whole texts of long posts that are damaged, or have a form that is not known: #; a newer version of this connector may read them", Hint: "retry_on_connector_upgrade"},
	{Code: problemOrphan, Text: "whole texts of long posts that match no post of the archive: #; they are no records", Hint: "not_retriable"},
	{Code: problemBegin, Text: "posts of which the archive has the beginning alone: #; they are marked", Hint: "not_retriable"},
	{Code: problemTalk, Text: "conversations without an id: #; their messages were collected without it", Hint: "not_retriable"},
	{Code: problemTwice, Text: "records that were left out, because an earlier one has their id and says something else: #; say that the archive may stay as it is, if they do not matter", Hint: owner},
	{Code: problemTime, Text: "records that were left out, because they have no time that can be read: #; say that the archive may stay as it is, if they do not matter", Hint: owner},
	{Code: problemID, Text: "records that were left out, because they have no id: #; say that the archive may stay as it is, if they do not matter", Hint: owner},
	{Code: problemStrange, Text: "entries of a kind that is not known, which were left out: #; earlier records stay, and a newer version of this connector may read them", Hint: "retry_on_connector_upgrade"},
	{Code: problemLarge, Text: "values that were left out, because they are too large for a record: #; say that the archive may stay as it is, if they do not matter", Hint: owner},
}

// run is one collection.
type run struct {
	h       *sdk.Host
	folder  *exports.Folder
	export  *export
	account sdk.Account
	beside  []*export // the other archives, which are not read
	earlier []int64   // sums of archives that were collected before this one
	loose   bool      // an archive lies unpacked right in the folder, with the folders of its page beside it

	books exports.Books    // of the archive
	fates map[string]*fate // of each source, by name
	whole map[string]bool  // files that were read to their end
	hurt  map[string]bool  // streams that something is missing of
	lists map[string]*sdk.Enumeration
	said  *accounts.Books

	at           *exports.Books // of the source at hand
	file         *exports.File
	item         int64
	conversation string // of the messages at hand
	threads      int64  // conversations of the file at hand
	happened     int64  // entries of them that are no messages

	begins int64                        // posts of which the archive has the beginning alone
	begun  string                       // the place of the first one
	texts  map[string]map[uint64]uint64 // by stream, and sum of an id: the sum of what its record says
}

func (connector) Collect(h *sdk.Host) error {
	folder, err := exports.Open(h, "twitter_archive")
	if err != nil {
		return err
	}
	r := &run{h: h, folder: folder, books: exports.NewBooks(), fates: make(map[string]*fate), whole: make(map[string]bool), hurt: make(map[string]bool), said: accounts.Open(h), texts: make(map[string]map[uint64]uint64)}
	r.said.Items(streamTweets)
	r.said.Items(streamMessages)
	if err := r.choose(); err != nil {
		return err
	}
	if r.export != nil {
		if err := r.take(); err != nil {
			return err
		}
	}
	if err := r.tellBeside(); err != nil {
		return err
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
		if err := books.SettleFile(f, o, err); err != nil {
			return err
		}
	}
	if a.Err() == nil {
		return nil
	}
	r.hurt[streamTweets], r.hurt[streamMessages] = true, true
	became.why = exports.ProblemOf(a.Err())
	return books.Settle(s.Name, exports.Outcome{}, a.Err())
}

// collect reads the newest archive unless the cursors have it.
func (r *run) collect() error {
	if known, older := r.known(); known {
		if older {
			return r.leave(r.export, problemOlder)
		}
		return r.learn()
	}
	if err := r.readAll(); err != nil || r.books.Problems.Count(exports.Unreadable) > 0 { // another run may read it
		return err
	}
	r.check()
	for _, stream := range r.h.Streams() {
		list := r.lists[stream]
		if list == nil {
			continue
		}
		if r.hurt[stream] || r.export.partial {
			r.books.Problems.Note(problemPartial, 1, stream)
		} else if r.export.proves(stream) {
			if err := list.Whole(); err != nil {
				return err
			}
		}
	}
	for _, stream := range r.h.Streams() {
		if r.lists[stream] == nil {
			continue
		}
		if err := r.h.State(stream, r.cursor()); err != nil {
			return err
		}
	}
	return nil
}

// readAll reads every source of the archive.
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
	names := make([]string, 0, len(r.export.sources))
	for _, s := range r.export.sources {
		names = append(names, s.Name)
		if err := r.each(s, r.read); err != nil {
			return err
		}
		r.books.Add(r.fateOf(s).books)
	}
	missing := exports.MissingParts(r.books.Problems, names)
	for _, s := range r.export.sources {
		exports.MissParts(s, missing, &r.fateOf(s).books)
	}
	return nil
}

// known reports whether every stream's cursor has this archive, or a newer one, and takes over
// what was found then.
func (r *run) known() (known, older bool) {
	known = true
	changes := r.export.changes()
	for _, stream := range r.h.Streams() {
		if streams[stream].emit == nil {
			continue
		}
		cursor := r.h.Cursor(stream)
		generated, changed := cursor.Get("generated").Str(), cursor.Get("changes").Int()
		switch {
		case generated > r.export.generated: // whatever the version of its cursor
			older = true
		case cursor.Get("v").Int() != cursorVersion:
			known = false
		case generated != r.export.generated || cursor.Get("sum").Int() != r.export.sum():
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
		for _, s := range r.export.sources {
			delete(r.fates, s.Name)
		}
	}
	return known, false
}

// learn sends the cursors of an earlier version again, with when the archive was changed.
func (r *run) learn() error {
	for _, stream := range r.h.Streams() {
		if streams[stream].emit == nil || r.export.changes() == 0 || r.h.Cursor(stream).Get("changes").Exists() {
			continue
		}
		if err := r.h.State(stream, r.cursor()); err != nil {
			return err
		}
	}
	return nil
}

func (r *run) cursor() []byte {
	b := jsonappend.Int(jsonappend.Name([]byte{'{'}, "v"), cursorVersion)
	b = r.account.AppendTo(b)
	b = jsonappend.String(jsonappend.Name(b, "generated"), r.export.generated)
	b = jsonappend.Int(jsonappend.Name(b, "sum"), r.export.sum())
	if changes := r.export.changes(); changes != 0 {
		b = jsonappend.Int(jsonappend.Name(b, "changes"), changes)
	}
	b = r.books.Kinds.AppendJSON(jsonappend.Name(b, "kinds"))
	b = r.books.Problems.AppendJSON(jsonappend.Name(b, "problems"))
	b = append(jsonappend.Name(b, "earlier"), '[')
	for i, sum := range r.earlier {
		if i > 0 {
			b = append(b, ',')
		}
		b = jsonappend.Int(b, sum)
	}
	b = append(b, ']')
	return append(r.appendFates(jsonappend.Name(b, "files")), '}')
}

// check notes what the archive should have and has not.
func (r *run) check() {
	for _, file := range exports.Sorted(r.export.listed) {
		if !r.whole[file] {
			r.hurt[r.export.listed[file]] = true
			if !r.books.Problems.Names(file) {
				r.missing(problemMissing, file)
			}
		}
	}
	for _, stream := range []string{streamTweets, streamMessages} {
		if r.books.Kinds[stream] > 0 || r.lists[stream] == nil {
			continue
		}
		r.hurt[stream] = true
		if r.export.partial {
			r.missing(problemPart, stream)
		}
	}
	notes := &r.export.notes
	r.books.Problems.Note(exports.HalfCharacters, notes.halves, notes.place)
	r.books.Problems.Note(problemNote, notes.lost, notes.place)
	r.books.Problems.Note(problemOrphan, notes.unused(), notes.place)
	r.books.Problems.Note(problemBegin, r.begins, r.begun)
}

// missing notes that the archive lacks something, with which the file is accounted for that says so.
func (r *run) missing(problem, what string) {
	r.books.Problems.Note(problem, 1, what)
	list := &r.export.list
	if list.source == nil {
		list.source = r.export.sources[0]
	}
	r.fateOf(list.source).books.MissIn(list.name, problem)
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
	{"superseded", "", "unsupported", "archives that a newer one supersedes"},
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
