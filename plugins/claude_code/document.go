package main

import (
	"cmp"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/pdpp-host/pdpp-host/sdk"
	"github.com/pdpp-host/pdpp-host/sdk/charset"
	"github.com/pdpp-host/pdpp-host/sdk/files"
)

// Bounds on reading one document, in bytes.
const (
	maxDocument = 256 << 10
	previewRead = 4 * maxPreview // as many bytes as the characters can take
)

// documentReader rises when a document gives another record than before, and sumWord with it.
const (
	documentReader = 2
	sumWord        = "2"
)

// document emits one file if it is new or changed, through emit, which gets its text, of at
// most limit bytes. A text that is no UTF-8 is looked at in each run, since each says so.
func (c *collection) document(set *files.Set, key string, f folder, e files.Entry, limit int64, emit func(text string) error) error {
	rule := ruleDocuments
	if set == &c.results {
		rule = ruleToolResults
	}
	if set.Same(key, e) {
		c.said(f, e.Path, e.Size, limit, rule)
		return nil
	}
	content, err := files.Read(f.fsys, f.path(e.Path), limit)
	if err != nil {
		c.books.Known(f.root, f.path(e.Path), unreadable.Reason)
		c.unreadable(f.shown(e.Path), err)
		return nil
	}
	text, taken := charset.File(content, e.Size <= limit)
	sum, lost := set.Lost(key, text, files.Sum(sumWord, text, strconv.FormatInt(e.Size, 10)))
	if lost {
		c.note(lostText, f.shown(e.Path))
		c.books.Damaged(f.root, f.path(e.Path), lostText.Reason)
		return nil
	}
	c.said(f, e.Path, e.Size, limit, rule)
	if taken > 0 {
		c.note(guessed, f.shown(e.Path))
		e.Size = -1
	}
	if !set.Take(key, e, sum) {
		return nil
	}
	return emit(text)
}

// The rules of the manifest by which the beginning of a file is read.
const (
	ruleToolResults = "tool_results"
	ruleDocuments   = "long_documents"
	ruleMessages    = "long_messages"
)

// said says of a file that it was read, in this run or an earlier one, or what is within the limit.
func (c *collection) said(f folder, at string, size, limit int64, rule string) {
	if size > limit {
		c.books.Beginning(f.root, f.path(at), rule)
	} else {
		c.books.Read(f.root, f.path(at))
	}
}

// text emits a document, which may be too long for a record. begin sets the fields that not
// all documents have; name is for one whose front matter has none.
func (c *collection) text(set *files.Set, key, name string, f folder, e files.Entry, r *sdk.Record, begin func(m *header)) error {
	if e.Size > maxDocument {
		c.note(truncated, f.shown(e.Path))
	}
	return c.document(set, key, f, e, maxDocument, func(content string) error {
		m := readHeader(content)
		begin(&m)
		r.String("name", cmp.Or(m.name, name))
		r.StringOrNull("description", m.description)
		r.String("relative_path", f.shown(e.Path))
		r.String("content", m.body)
		r.Raw("frontmatter", m.texts)
		r.Raw("metadata", m.metadata)
		r.Int("mtime_epoch", e.MTimeMS/1000)
		return r.Emit()
	})
}

// openDocuments opens the set of a stream of documents.
func (c *collection) openDocuments(stream, prefix string) *files.Set {
	set := files.Open(c.h, stream, prefix)
	set.Reader(documentReader)
	return set
}

// skillDepth is how many levels of folders of a skill are looked into for skills in it.
const skillDepth = 12

// skills emits the skills, each named by its folder. The one without a folder of its own is ".".
func (c *collection) skills() error {
	f, set, r := c.home.sub("skills"), c.openDocuments("skills", "skills:"), c.h.Record("skills")
	l, below := c.list(f), map[string]*files.Listing{}
	for _, e := range l.Entries {
		found := []files.Entry{e}
		if e.Kind == files.Folder {
			in := f.sub(e.Path)
			below[e.Path] = c.noted(in, files.Walk{Depth: skillDepth, Most: maxWalkEntries, Keep: isSkill}.List(in.fsys, in.base))
			found = below[e.Path].Entries
			for i := range found {
				found[i].Path = path.Join(e.Path, found[i].Path)
			}
		}
		for _, file := range found {
			if !isSkill(file.Path, false) || file.Kind != files.File {
				continue
			}
			key := path.Dir(file.Path)
			err := c.text(set, key, path.Base(f.shown(key)), f, file, r, func(*header) {
				r.String("id", "skills:"+key)
				r.String("source", "user")
			})
			if err != nil {
				return err
			}
		}
	}
	c.noSkills(f)
	set.KeepIf(func(key string) bool {
		top, rest, _ := strings.Cut(key, "/")
		in := below[top]
		return l.Hides(key) || l.Hides(path.Join(key, "SKILL.md")) || in != nil && in.Hides(path.Join(rest, "SKILL.md"))
	})
	return set.Close(true)
}

func isSkill(p string, folder bool) bool { return !folder && path.Base(p) == skillFile }

// skillFile is the name of the file that makes a folder a skill.
const skillFile = "SKILL.md"

// noSkills tells of the files among the skills that belong to none.
func (c *collection) noSkills(f folder) {
	others, whole := files.Outside(f.fsys, f.base, skillFile, skillDepth, maxWalkEntries)
	for _, p := range others {
		c.books.Unknown(f.root, f.path(p))
	}
	if !whole {
		c.note(tooMany, f.shown("."))
	}
}

// hides reports whether the note or command of that path, without its extension, may be there
// although the listing lacks it.
func hides(l *files.Listing, p string) bool {
	return l.Hides(p) || slices.ContainsFunc(l.Faults, func(f files.Fault) bool { return strings.EqualFold(f.Path, p+".md") })
}

// title is the name of a note or command without one: its path without its extension.
func title(p string) string { return p[:len(p)-len(".md")] }

// withoutSuffix is the key of a command: its path without ".md". One whose extension is spelled
// otherwise, or that has two, keeps it, so that no two files have one key.
func withoutSuffix(p string) string {
	short, is := strings.CutSuffix(p, ".md")
	if !is || strings.EqualFold(path.Ext(short), ".md") {
		return p
	}
	return short
}

// commands emits the slash commands.
func (c *collection) commands() error {
	f, set, r := c.home.sub("commands"), c.openDocuments("slash_commands", "commands:"), c.h.Record("slash_commands")
	l := c.walk(f)
	for _, e := range l.Entries {
		if !isMarkdown(e) {
			continue
		}
		key := withoutSuffix(e.Path)
		err := c.text(set, key, path.Base(title(e.Path)), f, e, r, func(*header) {
			r.String("id", "commands:"+key)
			r.String("command", strings.ReplaceAll(title(e.Path), "/", ":"))
		})
		if err != nil {
			return err
		}
	}
	set.KeepIf(func(key string) bool { return hides(l, key) })
	return set.Close(true)
}

// readNotes emits the notes of one project.
func (c *collection) readNotes(project string) error {
	f, r := c.projects.sub(project+"/memory"), c.h.Record("memory_notes")
	l := c.walk(f)
	if !l.Whole() {
		c.notes.KeepIf(func(key string) bool {
			note, own := strings.CutPrefix(key, project+"/")
			return own && hides(l, note)
		})
	}
	for _, e := range l.Entries {
		if c.decide(project+"/memory/"+e.Path, e) != fateNote || e.Kind != files.File {
			continue
		}
		key := project + "/" + e.Path
		err := c.text(c.notes, key, title(e.Path), f, e, r, func(m *header) {
			m.name = cmp.Or(m.name, m.title)
			r.String("id", "memory_notes:"+key)
			r.String("project_path", project)
			r.String("note_path", e.Path)
		})
		if err != nil {
			return err
		}
	}
	return nil
}
