package main

import (
	"cmp"
	"path"
	"slices"
	"strings"

	"github.com/pdpp-host/pdpp-host/sdk/charset"
	"github.com/pdpp-host/pdpp-host/sdk/clip"
	"github.com/pdpp-host/pdpp-host/sdk/files"
)

// Bounds on the small files whose text is collected.
const (
	maxDocumentBytes = 1 << 20
	maxDocuments     = 2000
	skillDepth       = 12
)

// document is one small text file.
type document struct {
	path  string // below the home folder
	text  string
	mtime int64 // seconds since 1970
	long  bool  // the text is its beginning
}

// documents reads the files below folder that match, in order of name, and calls take with each. hides reports
// whether the document of a path may be there although it was not taken.
func (r *run) documents(folder string, depth int, match func(name string) bool, take func(d *document) (whole bool, err error)) (hides func(path string) bool, err error) {
	l := files.Walk{Depth: depth, Most: maxDocuments, Keep: func(p string, folder bool) bool {
		return !folder && match(path.Base(p))
	}}.List(r.home, folder)
	r.faults(l, folder)
	if folder == "skills" { // a pattern passes over its files, so that the host finds none by itself
		for _, f := range l.Faults {
			if f.Why == files.Deep {
				r.problem(tooDeep, path.Join(folder, f.Path))
			}
		}
	}
	r.strays(l, rootHome, folder, folder)
	unread := map[string]bool{}
	for _, e := range l.Entries {
		e.Path = path.Join(folder, e.Path)
		d, ok := r.document(e)
		if ok {
			if ok, err = take(&d); err != nil {
				return nil, err
			}
		}
		if !ok {
			unread[e.Path] = true
		}
	}
	return func(p string) bool {
		below, own := strings.CutPrefix(p, folder+"/")
		return unread[p] || own && l.Hides(below)
	}, nil
}

// wholly says of a document that all of it was taken, as far as it was read.
func (r *run) wholly(d *document) {
	if d.long {
		r.books.Beginning(rootHome, d.path, "long_documents")
	} else {
		r.books.Read(rootHome, d.path)
	}
}

// lost says of a document that it has lost its text, and leaves its records.
func (r *run) lost(d *document) {
	r.problem(lostText, d.path)
	r.books.Damaged(rootHome, d.path, lostText.Reason)
}

func (r *run) document(e files.Entry) (d document, ok bool) {
	if e.Kind != files.File { // the walk has noted why, but for a link to a folder
		if e.Kind == files.Folder {
			r.problem(linked, e.Path)
		}
		return d, false
	}
	b, err := files.Read(r.home, e.Path, maxDocumentBytes)
	if err != nil {
		r.problem(unreadable, e.Path)
		r.books.Known(rootHome, e.Path, unreadable.Reason)
		return d, false
	}
	d = document{path: e.Path, mtime: e.MTimeMS / 1000, long: e.Size > maxDocumentBytes}
	text, taken := charset.File(b, !d.long)
	if taken > 0 {
		r.places.Note(guessed, e.Path, "")
	}
	d.text = strings.ReplaceAll(text, "\r\n", "\n")
	return d, true
}

// header splits the front matter off a document and returns its name and
// description. Only plain "key: value" lines are understood.
func (d *document) header() (name, description, body string) {
	body = d.text
	rest, ok := strings.CutPrefix(body, "---\n")
	if !ok {
		return "", "", body
	}
	matter, after, ok := strings.Cut(rest, "\n---")
	if !ok {
		return "", "", body
	}
	if i := strings.IndexByte(after, '\n'); i >= 0 {
		body = after[i+1:]
	} else {
		body = ""
	}
	for matter != "" {
		var line string
		line, matter, _ = strings.Cut(matter, "\n")
		key, value, ok := strings.Cut(line, ":")
		if !ok {
			continue
		}
		value = strings.TrimSpace(value)
		if n := len(value); n >= 2 && (value[0] == '"' || value[0] == '\'') && value[n-1] == value[0] {
			value = value[1 : n-1]
		}
		switch key {
		case "name", "title":
			if name == "" {
				name = clip.Text(value, maxField)
			}
		case "description":
			description = clip.Text(value, maxField)
		}
	}
	return name, description, strings.TrimLeft(body, "\n")
}

func (r *run) prompts() error {
	return r.texts(streamPrompts, "prompts", 1, func(n string) bool { return strings.EqualFold(path.Ext(n), ".md") },
		func(p string) (id, name string) {
			return "prompts:" + strings.TrimPrefix(p, "prompts/"), strings.TrimSuffix(path.Base(p), path.Ext(p))
		}, func(id string) []string { return []string{"prompts/" + strings.TrimPrefix(id, "prompts:")} })
}

// skills collects the skills, each named by its folder. The one without a folder of its own is ".", which is
// no folder's name.
func (r *run) skills() error {
	if r.h.Wants(streamSkills) {
		r.noSkills()
	}
	return r.texts(streamSkills, "skills", skillDepth, func(n string) bool { return n == skillFile },
		func(p string) (id, name string) {
			dir := path.Dir(p)
			below, in := strings.CutPrefix(dir, "skills/")
			if !in {
				below = "."
			}
			return "skills:" + below, path.Base(dir)
		}, func(id string) []string {
			dir := strings.TrimPrefix(id, "skills:")
			paths := []string{path.Join("skills", dir, skillFile)}
			if dir == "skills" { // what an earlier version called the one without a folder
				paths = append(paths, "skills/SKILL.md")
			}
			return paths
		})
}

// skillFile is the name of the file that makes a folder a skill.
const skillFile = "SKILL.md"

// noSkills tells of the files among the skills that belong to none.
func (r *run) noSkills() {
	others, whole := files.Outside(r.home, "skills", skillFile, skillDepth, maxDocuments)
	for _, p := range others {
		r.books.Unknown(rootHome, path.Join("skills", p))
	}
	if !whole {
		r.problem(tooMany, "skills")
	}
}

// texts collects a stream of documents. pathsOf lists the paths of documents to which identify
// gives an id.
func (r *run) texts(stream, folder string, depth int, match func(string) bool, identify func(string) (id, name string), pathsOf func(id string) []string) error {
	if !r.h.Wants(stream) {
		return nil
	}
	set := files.Open(r.h, stream, "")
	hides, err := r.documents(folder, depth, match, func(d *document) (whole bool, err error) {
		cut := len(d.text) > maxContent
		d.text = clip.Text(d.text, maxContent)
		id, fallback := identify(d.path)
		name, description, body := d.header()
		// A touched file is the same document: its time is not part of the fingerprint.
		sum, lost := set.Lost(id, d.text, files.Sum(keysWord, d.path, d.text))
		if lost {
			r.lost(d)
			return false, nil
		}
		r.wholly(d)
		if !set.News(id, sum) {
			return true, nil
		}
		r.books.Items(stream).Cut += one(cut)
		rec := r.h.Record(stream)
		rec.String("id", id)
		rec.String("name", cmp.Or(name, fallback))
		rec.StringOrNull("description", description)
		rec.String("content", body)
		rec.Bool("content_truncated", cut)
		rec.String("relative_path", d.path)
		rec.Int("mtime_epoch", d.mtime)
		return true, rec.Emit()
	})
	if err != nil {
		return err
	}
	set.KeepIf(func(id string) bool { return slices.ContainsFunc(pathsOf(id), hides) })
	return set.Close(true)
}
