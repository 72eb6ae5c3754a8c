package main

import (
	"io"
	"slices"
	"time"

	"github.com/pdpp-host/pdpp-host/sdk"
	"github.com/pdpp-host/pdpp-host/sdk/csv"
	"github.com/pdpp-host/pdpp-host/sdk/exports"
	"github.com/pdpp-host/pdpp-host/sdk/jsonvalue"
)

// take collects the newest archive. It has to be of the account collected so far: one that names no account
// may be anybody's.
func (r *run) take() error {
	r.remembered()
	if r.export.account == "" && r.bound() {
		return r.leave(r.export, problemUnnamed)
	}
	var err error
	if r.account, err = r.h.Account(r.export.account); err != nil {
		if f, ok := err.(*sdk.Failure); ok { //nolint:errorlint // as the SDK returns it; errors.As needs reflection
			f.Message = "the archive " + r.export.sources[0].Name + " is of another account than the one collected so far; move it into a folder of its own, and add a connection for that folder"
		}
		return err
	}
	return r.collect()
}

// bound reports whether an archive that names its account was collected before.
func (r *run) bound() bool {
	for _, stream := range r.h.Streams() {
		if r.h.Cursor(stream).Get("account").Exists() {
			return true
		}
	}
	return false
}

// counts reports whether an archive counts before another one: it is newer, and of the account collected so
// far if the other one is, too. One of another account, or of nobody knows whom, hides none of that account.
func (r *run) counts(x, other *export) bool {
	if a, b := r.nearness(x), r.nearness(other); a != b {
		return a > b
	}
	return x.generated > other.generated
}

// nearness says how near an archive is to the account collected so far: of another one, of an unknown one, of
// that one. Without such an account all are alike.
func (r *run) nearness(x *export) int {
	if !r.bound() {
		return 0
	}
	if x.account == "" {
		return 1
	}
	if _, err := r.h.Account(x.account); err != nil {
		return 0
	}
	return 2
}

// maxEarlier bounds how many archives are remembered.
const maxEarlier = 20

// sumsVersion is the first version of a cursor whose sums of archives have the meaning of today.
const sumsVersion = 5

// remembered takes from the cursors which archives were collected before.
func (r *run) remembered() {
	for _, stream := range r.h.Streams() {
		for _, cursor := range [...]jsonvalue.Value{r.h.Cursor(stream), r.h.Previous(stream)} {
			if v := cursor.Get("v").Int(); v < sumsVersion || v > cursorVersion {
				continue
			}
			r.collectedBefore(cursor.Get("sum").Int())
			for it := cursor.Get("earlier").Children(); it.Next(); {
				r.collectedBefore(it.Value().Int())
			}
		}
	}
}

func (r *run) collectedBefore(sum int64) {
	if sum != r.export.sum() && !slices.Contains(r.earlier, sum) && len(r.earlier) < maxEarlier {
		r.earlier = append(r.earlier, sum)
	}
}

// choose finds the newest archive of the account that was collected before, or of any at first. Each is a
// whole account, so a newer one supersedes the others; sources of one time and account are its parts.
func (r *run) choose() error {
	all := make([]*export, len(r.folder.Sources))
	for i := range all {
		s := &r.folder.Sources[i]
		x, err := r.describe(s)
		if err != nil {
			r.fateOf(s).why = exports.ProblemOf(err)
			if err := r.folder.Books.Settle(s.Name, exports.Outcome{}, err); err != nil {
				return err
			}
			x = &export{}
		}
		all[i] = x
	}
	r.joinLoose(all)
	r.joinParts(all)
	for i, x := range all {
		switch {
		case x == nil:
			if err := r.stranger(&r.folder.Sources[i]); err != nil {
				return err
			}
		case len(x.sources) == 0: // it could not be looked at, or is a part of another one
		case r.export == nil || r.counts(x, r.export):
			if r.export != nil {
				r.beside = append(r.beside, r.export)
			}
			r.export = x
		case x.generated == r.export.generated && (x.account == r.export.account || x.account == ""):
			r.export.add(x)
		default:
			r.beside = append(r.beside, x)
		}
	}
	return nil
}

// joinParts takes archives that say nothing of themselves for parts of one that does, if their names have all but the
// number of a part in common.
func (r *run) joinParts(all []*export) {
	for _, x := range all {
		if x == nil || !x.described {
			continue
		}
		of, is := exports.PartOf(x.sources[0].Name)
		for i, y := range all {
			s := &r.folder.Sources[i]
			p, part := exports.PartOf(s.Name)
			if !is || !part || p.Of != of.Of || s.Unpacked() || r.fateOf(s).why != "" || y != nil && (y.described || y.account != "" || y.old || len(y.sources) == 0) {
				continue
			}
			if y == nil {
				y = &export{sources: []*exports.Source{s}}
			}
			x.add(y)
			all[i] = &export{}
		}
	}
}

// joinLoose makes one archive of what the sources right in the folder say, where one was unpacked there: its
// files lie beside its folder of data. A table there that is a copy of the months in it is no archive.
func (r *run) joinLoose(all []*export) {
	var top, data *export
	at := 0
	for i := range r.folder.Sources {
		switch s := &r.folder.Sources[i]; {
		case !s.Unpacked():
		case s.Name == ".":
			top, at = all[i], i
		case s.Name == "data":
			data = all[i]
		}
	}
	r.loose = top != nil || data != nil
	if top == nil || data == nil || !top.bare || !data.old {
		return
	}
	if data.months {
		all[at] = nil
		return
	}
	data.generated = max(data.generated, top.generated)
	data.add(top)
	all[at] = &export{}
}

// stranger settles a source that is no archive of X: files that lie loose one by one, an archive as
// a whole.
func (r *run) stranger(s *exports.Source) error {
	if !s.Unpacked() {
		if nested := r.nestedIn(s); nested != nil {
			r.fateOf(s).why = exports.ProblemOf(nested.Problem)
			return r.folder.Books.Settle(nested.Place, exports.Outcome{}, nested.Problem)
		}
		r.folder.Books.Note(problemForeign, s.Name, "")
		r.fateOf(s).why = problemForeign
		return nil
	}
	return r.one(s, func(*exports.File) string { return "" })
}

// one settles the files of a source that lie loose one by one, each with the problem that is told of it.
func (r *run) one(s *exports.Source, problem func(f *exports.File) string) error {
	paged := inViewer(s.Name+"/") || r.loose && s.Name == "js"
	err := r.each(s, func(f *exports.File) (exports.Outcome, error) {
		if why := problem(f); why == problemBeside {
			r.folder.Books.Problems.Note(why, 1, f.Place)
			return exports.Outcome{Fate: exports.Rule, Kind: "copies"}, nil
		} else if why != "" {
			return exports.Outcome{Fate: exports.Known, Kind: "other", Why: why}, nil
		}
		kind := ruleOf(f.Name)
		if kind == "" && r.loose && s.Name == "." && f.Base() == "tweets.csv" {
			kind = "copies"
		}
		if kind == "" && paged && f.Problem == nil {
			if text, err := open(f); err == nil && text.isViewer(f.Name) {
				kind = "viewer"
			}
		}
		if kind != "" {
			return exports.Outcome{Fate: exports.Rule, Kind: kind}, nil
		}
		return exports.Outcome{Kind: "other"}, problemOf(f)
	})
	r.folder.Books.Add(r.fateOf(s).books)
	return err
}

// leave notes that an archive is not read. A problem that its owner has to do with stands in the
// account of its files, too.
func (r *run) leave(x *export, problem string) error {
	for _, s := range x.sources {
		if s.Name == "." { // beside it may lie what is no file of it
			delete(r.fates, s.Name)
			if err := r.one(s, func(f *exports.File) string {
				if !isData(f) {
					return ""
				}
				return problem
			}); err != nil {
				return err
			}
			continue
		}
		r.folder.Books.Problems.Note(problem, 1, s.Name)
		if problem != problemBeside {
			r.fateOf(s).why = problem
		}
	}
	return nil
}

// isData reports whether a file is one of an archive's data.
func isData(f *exports.File) bool {
	if f.Base() == "tweets.csv" {
		return true
	}
	if end := f.Ending(); f.Problem != nil || end != ".js" && end != ".json" {
		return false
	}
	s, err := open(f)
	return err == nil && s.kind != "" && !s.isViewer(f.Name)
}

// lacking are the problems of an archive that is damaged, or lacks a part: one that is brought whole has
// none of them.
var lacking = []string{
	problemMissing, problemFewer, problemPart, exports.PartMissing, exports.Unreadable, "archive_truncated", "archive_corrupt",
	"jsonstream_syntax", "jsonstream_truncated", "csv_syntax", "csv_truncated",
}

// tellBeside names the archives that are not read. A newest one that is whole has what they have, but
// for what was deleted since. Of one that does not show it nobody knows.
func (r *run) tellBeside() error {
	unread := problemBeside
	if r.books.Problems.Count(problemPartial) > 0 || r.export != nil && !r.provesAll() || r.folder.Books.Problems.Count(problemUnnamed) > 0 {
		unread = problemUnread
	}
	if slices.ContainsFunc(lacking, func(code string) bool { return r.books.Problems.Count(code) > 0 }) {
		unread = problemSpare
	}
	for _, x := range r.beside {
		if err := r.leave(x, r.problemOf(x, unread)); err != nil {
			return err
		}
	}
	return nil
}

// problemOf says what is told of an archive that is not read; unread is what is told of one that was never collected.
func (r *run) problemOf(x *export, unread string) string {
	switch {
	case x.account != "" && (r.export.account != "" && x.account != r.export.account || r.bound() && r.nearness(x) == 0):
		return problemOthers
	case x.account == "" && x.generated > r.export.generated: // only one of the account stands in front of it
		return problemUnnamed
	}
	r.folder.Books.Kinds["superseded"] += int64(len(x.sources))
	if slices.Contains(r.earlier, x.sum()) { // the store has what it had
		return problemBeside
	}
	return unread
}

// provesAll reports whether the newest archive says that it has all of each stream that is collected.
func (r *run) provesAll() bool {
	return !slices.ContainsFunc(r.h.Streams(), func(stream string) bool { return streams[stream].emit != nil && !r.export.proves(stream) })
}

// lastIn returns the time of the newest post or message of an archive.
func (r *run) lastIn(s *exports.Source) (time.Time, error) {
	var last time.Time
	a, err := s.Open(r.folder.Root)
	if err != nil {
		return last, err
	}
	defer a.Close()
	for a.Next() {
		f := s.File(a)
		done, size := a.Progress()
		if err := r.h.Progress("looking at "+f.Base(), done, size, "bytes"); err != nil {
			return last, err
		}
		at := time.Time{}
		if end := f.Ending(); f.Problem != nil || exports.Hidden(f.Name) || ruleOf(f.Name) != "" {
			continue
		} else if f.Base() == "tweets.csv" {
			at = lastRow(f.Text())
		} else if end == ".js" || end == ".json" {
			if text, err := open(f); err == nil && !text.isViewer(f.Name) {
				at = text.lastOf()
			}
		}
		if at.After(last) {
			last = at
		}
	}
	return last, nil // a fault of the archive is told when it is read
}

// lastOf returns the time of the newest post or message in a script.
func (s *script) lastOf() (last time.Time) {
	var paths []string
	switch s.streamOfKind() {
	case streamTweets:
		paths = []string{"*.created_at", "*.tweet.created_at"}
	case streamMessages:
		paths = []string{"*.dmConversation.messages.*.messageCreate.createdAt", "*.dmConversation.messages.*.welcomeMessageCreate.createdAt"}
	default:
		return last
	}
	in := s.elementsOf(paths...)
	for in.Next() {
		if at, ok := exports.Time(in.Value(), 1); ok && at.After(last) {
			last = at
		}
	}
	return last
}

// lastRow returns the time of the newest post in a table.
func lastRow(content io.Reader) (last time.Time) {
	in := csv.New(content)
	for in.Next() {
		if at, err := time.Parse(rowTime, in.Get("timestamp")); err == nil && at.After(last) {
			last = at
		}
	}
	return last
}
