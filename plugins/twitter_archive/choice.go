package main

import (
	"io"
	"slices"
	"strings"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/sdk"
	"github.com/pdpp-host/pdpp-host/sdk/csv"
	"github.com/pdpp-host/pdpp-host/sdk/exports"
	"github.com/pdpp-host/pdpp-host/sdk/jsonvalue"
)

// take collects the archives of the account. Where the account collected so far has none of them, all that are
// there are another one's, and the run ends.
func (r *run) take() error {
	if len(r.exports) == 0 && len(r.others) > 0 {
		_, err := r.h.Account(r.others[0].account)
		if f, ok := err.(*sdk.Failure); ok { //nolint:errorlint // as the SDK returns it; errors.As needs reflection
			f.Message = "the archive " + r.others[0].sources[0].Name + " is of another account than the one collected so far; move it into a folder of its own, and add a connection for that folder"
		}
		if err != nil {
			return err
		}
	}
	if len(r.exports) == 0 {
		return nil
	}
	return r.collect()
}

// bound returns the account that was collected before, as the cursors name it; 0: an archive that names its account
// was not collected yet.
func (r *run) bound() int64 {
	for _, stream := range r.h.Streams() {
		for _, before := range [...]jsonvalue.Value{r.h.Cursor(stream), r.h.Previous(stream)} {
			if account := before.Get("account"); account.Exists() {
				return account.Int()
			}
		}
	}
	return 0
}

// choose finds the archives of one account, the newest first: of the one that was collected before, or else of the
// newest archive that names one. An archive that names no account is taken for that account's, whose folder it lies in.
func (r *run) choose() error {
	all := make([]*export, len(r.folder.Sources))
	for i := range all {
		s := &r.folder.Sources[i]
		x, place, err := r.describe(s)
		if err != nil {
			r.fateOf(s).why = exports.ProblemOf(err)
			if err := r.folder.Books.Settle(place, exports.Outcome{}, err); err != nil {
				return err
			}
			x = &export{}
		}
		if x != nil && x.mixed {
			if r.mixed, err = true, r.leave(x, problemMixed); err != nil {
				return err
			}
			x = &export{}
		}
		all[i] = x
	}
	r.joinLoose(all)
	r.joinParts(all)
	found := together(all)
	for i, x := range all {
		if x == nil {
			if err := r.stranger(&r.folder.Sources[i], len(found) == 0); err != nil {
				return err
			}
		}
	}
	r.blind = r.folder.Books.Problems.Hurt() || r.mixed
	return r.share(found)
}

// together returns the archives, the newest first. Sources of one time and account are the parts of one, but for a
// file whose newest post happens to be of the time at which an archive was made.
func together(all []*export) (found []*export) {
	for _, x := range all {
		if x == nil || len(x.sources) == 0 { // it could not be looked at, or is a part of another one
			continue
		}
		at := slices.IndexFunc(found, func(y *export) bool {
			return y.generated == x.generated && y.described == x.described && (x.account == y.account || x.account == "" || y.account == "")
		})
		if at < 0 {
			found = append(found, x)
		} else {
			found[at].add(x)
		}
	}
	slices.SortStableFunc(found, func(x, y *export) int { return strings.Compare(y.generated, x.generated) })
	return found
}

// share tells the archives of the account from those of others. A full refresh takes another account where the one that
// was collected before has no archive. Everything in the folder has to be readable for that.
func (r *run) share(found []*export) error {
	if err := r.shareBy(found, r.bound() != 0); err != nil {
		return err
	}
	if len(r.exports) == 0 && r.h.Mode() == abi.ModeFullRefresh && !r.blind {
		r.others = nil
		if err := r.shareBy(found, false); err != nil {
			return err
		}
	}
	for _, x := range r.exports {
		r.notes.add(&x.notes)
		x.notes = notes{}
	}
	for _, x := range r.others {
		x.notes = notes{}
	}
	r.room = room{}
	return nil
}

// shareBy is share, with whether the account of the archives is bound to be the one that was collected before.
func (r *run) shareBy(found []*export, bound bool) error {
	own := ""
	for _, x := range found {
		account, err := r.h.Account(x.account)
		switch {
		case x.account == "":
		case bound && (err != nil || account.Changed), own != "" && own != x.account:
			r.others = append(r.others, x)
			continue
		case err != nil:
			return err
		case own == "":
			own, r.account = x.account, account
		}
		r.exports = append(r.exports, x)
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
// files lie beside its folder of data.
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
	data.generated = max(data.generated, top.generated)
	data.add(top)
	all[at] = &export{}
}

// stranger settles a source that is no archive of X: files that lie loose one by one, an archive as
// a whole. A page that shows an archive is known, and lacks its data, where it lies alone.
func (r *run) stranger(s *exports.Source, alone bool) error {
	if !s.Unpacked() {
		why := problemForeign
		if alone && r.find(s, isPage) != nil {
			why = problemPage
		}
		r.folder.Books.Note(why, s.Name, "")
		r.fateOf(s).why = why
		return nil
	}
	return r.one(s, func(f *exports.File) string {
		if alone && isPage(f) {
			return problemPage
		}
		return ""
	})
}

// isPage reports whether a file is the page that shows an archive.
func isPage(f *exports.File) bool { return strings.EqualFold(f.Base(), "Your archive.html") }

// one settles the files of a source that lie loose one by one, each with the problem that is told of it.
func (r *run) one(s *exports.Source, problem func(f *exports.File) string) error {
	paged := inViewer(s.Name+"/") || r.loose && s.Name == "js"
	err := r.each(s, func(f *exports.File) (exports.Outcome, error) {
		if why := problem(f); why != "" {
			return exports.Outcome{Fate: exports.Known, Kind: "other", Why: why}, nil
		}
		kind := ruleOf(f.Name)
		if kind == "" && paged && f.Problem == nil {
			if text, err := open(f); err == nil && text.isViewer(f.Name) {
				kind = "viewer"
			}
		}
		if kind != "" {
			return exports.Outcome{Fate: exports.Rule, Kind: kind}, nil
		}
		return exports.Outcome{Kind: "other"}, r.lost[f.Place]
	})
	r.folder.Books.Add(r.fateOf(s).books)
	return err
}

// leave notes that an archive is not read, and accounts for its files with the problem.
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
		r.fateOf(s).why = problem
	}
	return nil
}

// leaveOlder notes that an archive is not read, since it is older than one that was collected, or for the fault of a file that
// may say that it is not.
func (r *run) leaveOlder(x *export) error {
	if x.fault == nil {
		return r.leave(x, problemOlder)
	}
	r.fateOf(x.sources[0]).why = exports.ProblemOf(x.fault)
	return r.folder.Books.Settle(x.faultAt, exports.Outcome{}, x.fault)
}

// isData reports whether a file is one of an archive's data.
func isData(f *exports.File) bool {
	if f.Base() == "tweets.csv" {
		return true
	}
	if f.Problem != nil || !isScript(f) {
		return false
	}
	s, err := open(f)
	return err == nil && s.kind != "" && !s.isViewer(f.Name)
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
		switch {
		case f.Problem != nil || exports.Hidden(f.Name) || ruleOf(f.Name) != "":
		case f.Base() == "tweets.csv":
			at = lastRow(f.Text())
		case isScript(f):
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
