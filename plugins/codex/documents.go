package main

import (
	"io"
	"io/fs"
	"path"
	"strings"
)

// Bounds on the small files whose text is collected.
const (
	maxDocumentBytes = 1 << 20
	maxDocuments     = 2000
)

// document is one small text file.
type document struct {
	path    string // below the home folder
	text    string
	mtime   int64 // seconds since 1970
	clipped bool
}

// documents reads the files below folder that match, in order of name. partial reports
// that some could not be read.
func (r *run) documents(folder string, depth int, match func(name string) bool) (docs []document, partial bool) {
	entries, err := fs.ReadDir(r.home, folder)
	if err != nil {
		if isNotExist(err) || !exists(r.home, folder) {
			return nil, false
		}
		r.problem(problemUnreadable, folder)
		return nil, true
	}
	for _, e := range entries {
		name := path.Join(folder, e.Name())
		if e.IsDir() {
			if depth > 1 {
				more, p := r.documents(name, depth-1, match)
				docs, partial = append(docs, more...), partial || p
			}
			continue
		}
		if !match(e.Name()) {
			continue
		}
		if len(docs) >= maxDocuments {
			r.problem(problemTooMany, folder)
			return docs, true
		}
		d, ok := r.document(name)
		if !ok {
			r.problem(problemUnreadable, name)
			partial = true
			continue
		}
		docs = append(docs, d)
	}
	return docs, partial
}

func (r *run) document(name string) (d document, ok bool) {
	info, err := fs.Stat(r.home, name)
	if err != nil || !info.Mode().IsRegular() {
		return d, false
	}
	file, err := r.home.Open(name)
	if err != nil {
		return d, false
	}
	defer file.Close()
	b, err := io.ReadAll(io.LimitReader(file, maxDocumentBytes))
	if err != nil {
		return d, false
	}
	d = document{path: name, mtime: info.ModTime().Unix()}
	d.text, d.clipped = clip(strings.ReplaceAll(strings.TrimPrefix(string(b), "\ufeff"), "\r\n", "\n"), maxContent)
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
				name = clipped(value, maxField)
			}
		case "description":
			description = clipped(value, maxField)
		}
	}
	return name, description, strings.TrimLeft(body, "\n")
}

func (r *run) prompts() error {
	return r.texts(streamPrompts, "prompts", 1, func(n string) bool { return path.Ext(n) == ".md" },
		func(p string) (id, name string) {
			return "prompts:" + strings.TrimPrefix(p, "prompts/"), strings.TrimSuffix(path.Base(p), ".md")
		})
}

func (r *run) skills() error {
	return r.texts(streamSkills, "skills", 4, func(n string) bool { return n == "SKILL.md" },
		func(p string) (id, name string) {
			dir := strings.TrimPrefix(path.Dir(p), "skills/")
			return "skills:" + dir, path.Base(dir)
		})
}

// texts collects a stream of documents.
func (r *run) texts(stream, folder string, depth int, match func(string) bool, identify func(string) (id, name string)) error {
	if !r.h.Wants(stream) {
		return nil
	}
	docs, partial := r.documents(folder, depth, match)
	set := newItems(r.h, stream)
	set.partial = partial
	for i := range docs {
		d := &docs[i]
		id, fallback := identify(d.path)
		name, description, body := d.header()
		// A touched file is the same document: its time is not part of the fingerprint.
		if !set.changed(id, formatSeed.add(d.path).add(d.text).sum()) {
			continue
		}
		rec := r.h.Record(stream)
		rec.String("id", id)
		rec.String("name", either(name, fallback))
		rec.StringOrNull("description", description)
		rec.String("content", body)
		rec.Bool("content_truncated", d.clipped)
		rec.String("path", d.path)
		rec.Int("mtime_epoch", d.mtime)
		if err := rec.Emit(); err != nil {
			return err
		}
	}
	return set.finish(true)
}
