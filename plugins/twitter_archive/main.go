package main

import (
	_ "embed"
	"path"
	"strings"

	"github.com/pdpp-host/pdpp-host/sdk"
	"github.com/pdpp-host/pdpp-host/sdk/archive"
	"github.com/pdpp-host/pdpp-host/sdk/exports"
	"github.com/pdpp-host/pdpp-host/sdk/jsonappend"
	"github.com/pdpp-host/pdpp-host/sdk/jsonstream"
)

//go:embed manifest.json
var manifest string

type connector struct{}

func (connector) Manifest() string { return manifest }

func init() { sdk.Run(connector{}) }

func main() {}

// cursorVersion changes with the meaning of a cursor, which is then forgotten.
const cursorVersion = 1

// The problems besides those of the readers.
const (
	problemPartial = "archive_partial"
	problemOlder   = "archive_older"
	problemForeign = "not_an_export"
	problemTime    = "time_missing"
	problemLarge   = "value_too_large"
)

var problems = []exports.Problem{
	{Code: problemForeign, Text: "archives that were not read, because they have no data/manifest.js with a time: #", Hint: "not_retriable"},
	{Code: problemOlder, Text: "a newer archive was collected before and is not here any more; its records stay, and older archives are not read", Hint: "manual_action_required"},
	{Code: problemPartial, Text: "streams that are not whole in this archive: #; earlier records that it lacks stay", Hint: "not_retriable"},
	{Code: problemTime, Text: "records that were left out, because they have no time that can be read: #", Hint: "not_retriable"},
	{Code: problemLarge, Text: "values that were left out, because they are too large for a record: #", Hint: "not_retriable"},
}

// run is one collection.
type run struct {
	h        *sdk.Host
	folder   *exports.Folder
	export   export
	account  sdk.Account
	problems exports.Tally   // of this archive
	whole    map[string]bool // files that were read to their end

	conversation string // of the messages at hand
}

// export is an archive as its data/manifest.js describes it.
type export struct {
	file      archive.File
	generated string // RFC 3339 in UTC: later ones compare as larger
	account   string
	partial   bool
	files     map[string][]string // by data type
}

func (connector) Collect(h *sdk.Host) error {
	folder, err := exports.Open(h, "twitter_archive")
	if err != nil {
		return err
	}
	r := &run{h: h, folder: folder, problems: make(exports.Tally), whole: make(map[string]bool)}
	for _, f := range folder.Files {
		x, problem := r.describe(f)
		if problem != "" {
			r.problems[problem]++
		} else if x.generated > r.export.generated || x.generated == r.export.generated && x.file.Name > r.export.file.Name {
			r.export = x
		}
	}
	if r.export.generated != "" {
		if r.account, err = h.Account(r.export.account); err != nil {
			return err
		}
		if err := r.collect(); err != nil {
			return err
		}
	}
	return exports.Report(h, r.problems, problems...)
}

// describe reads an archive's data/manifest.js.
func (r *run) describe(f archive.File) (x export, problem string) {
	a, err := archive.Open(r.folder.Root, f.Name, archive.Limits{})
	if err != nil {
		return x, exports.ProblemOf(err)
	}
	defer a.Close()
	for a.Next() {
		if base(a.Entry().Name) != "manifest.js" {
			continue
		}
		in := jsonstream.New(a, "userInfo", "archiveInfo", "dataTypes")
		x = export{file: f, files: make(map[string][]string)}
		in.SkipPast('=')
		for in.Next() {
			v := in.Value()
			switch in.Path() {
			case 0:
				x.account = v.Get("accountId").Str()
			case 1:
				if at, ok := exports.Time(v.Get("generationDate"), 1); ok {
					x.generated = at.Format("2006-01-02T15:04:05.000Z")
				}
				x.partial = v.Get("isPartialArchive").Bool()
			case 2:
				for it := v.Children(); it.Next(); {
					kind := it.Name().Str()
					for file := it.Value().Get("files").Children(); file.Next(); {
						x.files[kind] = append(x.files[kind], base(file.Value().Get("fileName").Str()))
					}
				}
			}
		}
		if problem = exports.ProblemOf(in.Err()); problem == "" && x.generated == "" {
			problem = problemForeign
		}
		return x, problem
	}
	if problem = exports.ProblemOf(a.Err()); problem == "" {
		problem = problemForeign
	}
	return x, problem
}

// base is the name of a file in the folder data; "" for any other.
func base(name string) string {
	if dir := path.Dir(name); dir != "data" && !strings.HasSuffix(dir, "/data") {
		return ""
	}
	return path.Base(name)
}

// collect reads the newest archive for the streams whose cursors do not have it.
func (r *run) collect() error {
	lists := make(map[string]*sdk.Enumeration)
	older := false
	for _, stream := range r.h.Streams() {
		cursor := r.h.Cursor(stream)
		known, same := cursor.Get("generated").Str(), cursor.Get("size").Int() == r.export.file.Size
		switch {
		case cursor.Get("v").Int() != cursorVersion:
		case known > r.export.generated:
			older = true
			continue
		case known == r.export.generated && same:
			r.problems.Add(exports.ReadTally(cursor.Get("problems")))
			continue
		}
		list, err := r.h.Enumerate(stream, "", "")
		if err != nil {
			return err
		}
		lists[stream] = list
	}
	if older {
		r.problems[problemOlder] = 1
	}
	if len(lists) == 0 {
		return nil
	}
	found := make(map[string]exports.Tally) // by stream
	if err := r.walk(lists, found); err != nil {
		return err
	}
	unreadable := false
	for _, problems := range found {
		unreadable = unreadable || problems[exports.Unreadable] > 0
	}
	for _, stream := range r.h.Streams() {
		problems := found[stream]
		if lists[stream] == nil || unreadable { // another run may read it
			r.problems.Add(problems)
			continue
		}
		if r.isWhole(stream, problems) {
			if err := lists[stream].Whole(); err != nil {
				return err
			}
		} else {
			problems[problemPartial]++
		}
		r.problems.Add(problems)
		if err := r.h.State(stream, r.cursor(problems)); err != nil {
			return err
		}
	}
	return nil
}

func (r *run) cursor(problems exports.Tally) []byte {
	b := jsonappend.Int(jsonappend.Name([]byte{'{'}, "v"), cursorVersion)
	b = r.account.AppendTo(b)
	b = jsonappend.String(jsonappend.Name(b, "generated"), r.export.generated)
	b = jsonappend.Int(jsonappend.Name(b, "size"), r.export.file.Size)
	return append(problems.AppendJSON(jsonappend.Name(b, "problems")), '}')
}

// isWhole reports whether the archive has everything of the stream, and all of it was read.
func (r *run) isWhole(stream string, found exports.Tally) bool {
	if r.export.partial || found[problemTime]+found[problemLarge] > 0 {
		return false
	}
	for _, kind := range streams[stream].kinds {
		files := r.export.files[kind]
		if len(files) == 0 && kind == streams[stream].kinds[0] {
			return false
		}
		for _, file := range files {
			if !r.whole[file] {
				return false
			}
		}
	}
	return true
}

// walk reads the files of the streams that are listed. A fault of the whole archive is told
// with the first of them.
func (r *run) walk(lists map[string]*sdk.Enumeration, found map[string]exports.Tally) error {
	first := ""
	for _, stream := range r.h.Streams() {
		if found[stream] = make(exports.Tally); first == "" && lists[stream] != nil {
			first = stream
		}
	}
	a, err := archive.Open(r.folder.Root, r.export.file.Name, archive.Limits{})
	if err != nil {
		found[first][exports.ProblemOf(err)]++
		return nil
	}
	defer a.Close()
	for a.Next() {
		file := base(a.Entry().Name)
		stream := r.streamOf(file)
		if stream == "" || lists[stream] == nil {
			continue
		}
		done, size := a.Progress()
		if err := r.h.Progress("reading "+file, done, size, "bytes"); err != nil {
			return err
		}
		in := jsonstream.New(a, streams[stream].paths...)
		in.SkipPast('=')
		err := exports.Elements(r.h, in.Next, func() error { return streams[stream].emit(r, in, found[stream]) })
		found[stream][problemLarge] += in.Oversized()
		if err == nil {
			err = in.Err()
		}
		if problem := exports.ProblemOf(err); problem != "" {
			found[stream][problem]++
			continue
		} else if err != nil {
			return err
		}
		r.whole[file] = true
	}
	if err := a.Err(); err != nil {
		found[first][exports.ProblemOf(err)]++
		r.whole = make(map[string]bool)
	}
	return nil
}

// streamOf returns the stream that a file carries: by the archive's manifest, or else "".
func (r *run) streamOf(file string) string {
	for name, s := range streams {
		for _, kind := range s.kinds {
			for _, f := range r.export.files[kind] {
				if f == file && file != "" {
					return name
				}
			}
		}
	}
	return ""
}
