package main

import (
	"io"
	"strings"

	"github.com/pdpp-host/pdpp-host/sdk"
	"github.com/pdpp-host/pdpp-host/sdk/jsonappend"
	"github.com/pdpp-host/pdpp-host/sdk/jsonvalue"
	"github.com/pdpp-host/pdpp-host/sdk/sha256"
)

// Bounds on reading one document, in bytes.
const (
	maxDocument = 256 << 10
	previewRead = 4 * maxPreview // as many bytes as the characters can take
)

// docSet maps the paths of the small files of one kind to their state.
type docSet map[string]docState

// docState is the state of a file when it was emitted. A file of the same size and time
// is not opened; one of the same fingerprint is not emitted.
type docState struct {
	size, mtime int64
	digest      string
	seen        bool // in this run
}

func (s docSet) read(v jsonvalue.Value) {
	for it := v.Children(); it.Next(); {
		d := it.Value()
		s[it.Name().Str()] = docState{size: d.At(0).Int(), mtime: d.At(1).Int(), digest: d.At(2).Str()}
	}
}

func (s docSet) append(b []byte) []byte {
	b = append(b, '{')
	for _, path := range sortedKeys(s) {
		d := s[path]
		b = append(jsonappend.Name(b, path), '[')
		b = jsonappend.Int(b, d.size)
		b = jsonappend.Int(append(b, ','), d.mtime)
		b = append(jsonappend.String(append(b, ','), d.digest), ']')
	}
	return append(b, '}')
}

// markSeen marks everything below the prefix as seen, because it could not be examined.
func (s docSet) markSeen(prefix string) {
	for path, d := range s {
		if strings.HasPrefix(path, prefix) {
			d.seen = true
			s[path] = d
		}
	}
}

// vanished forgets the files that were not seen and returns their paths.
func (s docSet) vanished() []string {
	var gone []string
	for _, path := range sortedKeys(s) {
		if !s[path].seen {
			gone = append(gone, path)
			delete(s, path)
		}
	}
	return gone
}

// document emits one file if it is new or changed, through emit, which gets its
// content (at most limit bytes), and reports whether the set changed.
func (c *collection) document(set docSet, path string, f folder, rel string, e entry, limit int64, emit func(content []byte) error) (bool, error) {
	old, known := set[path]
	now := docState{size: e.size, mtime: e.mtime, digest: old.digest, seen: true}
	if known {
		set[path] = docState{old.size, old.mtime, old.digest, true}
	}
	if known && old.size == e.size && old.mtime == e.mtime {
		return false, nil
	}
	content, err := readAtMost(f, rel, limit)
	if err != nil {
		c.unreadable(f.shown(rel), err)
		return false, nil
	}
	var hash sha256.Digest
	hash.Reset()
	hash.Write(content)
	hash.Write(jsonappend.Int(nil, e.size))
	sum := hash.Sum()
	if now.digest = hexText(sum[:8]); !known || now.digest != old.digest {
		if err := emit(content); err != nil {
			return false, err
		}
	}
	set[path] = now
	return true, nil
}

// readAtMost reads the beginning of a file.
func readAtMost(f folder, rel string, limit int64) ([]byte, error) {
	file, err := f.fsys.Open(f.path(rel))
	if err != nil {
		return nil, err
	}
	content, err := io.ReadAll(io.LimitReader(file, limit))
	_ = file.Close() // only read
	return content, err
}

// cut notes a document that is too long for a record.
func (c *collection) cut(f folder, rel string, e entry) {
	if e.size > maxDocument {
		c.problems.note(problemCut, f.shown(rel))
	}
}

// readSkills emits the skills.
func (c *collection) readSkills() error {
	f := c.home.sub("skills")
	set := c.ownSet("skills")
	entries, state := c.list(f)
	changed := false
	for _, e := range entries {
		if e.kind != kindFolder {
			continue
		}
		in := f.sub(e.name)
		files, how := c.list(in)
		if how != listedWhole {
			set.markSeen(e.name)
		}
		for _, file := range files {
			if file.name != "SKILL.md" || file.kind != kindFile {
				continue
			}
			c.cut(in, file.name, file)
			did, err := c.document(set, e.name, in, file.name, file, maxDocument, func(content []byte) error {
				r, m := c.h.Record("skills"), readFrontmatter(content)
				r.String("id", "skills:"+e.name)
				r.String("name", or(m.name, e.name))
				r.StringOrNull("description", m.description)
				r.String("source", "user")
				return emitDocument(r, in.shown(file.name), content, m, file)
			})
			if err != nil {
				return err
			}
			changed = changed || did
		}
	}
	return c.finishSet("skills", "skills:", set, state, changed)
}

// readCommands emits the slash commands.
func (c *collection) readCommands() error {
	f := c.home.sub("commands")
	set := c.ownSet("slash_commands")
	changed := false
	state, err := c.walk(f, func(rel string, e entry) error {
		if e.kind != kindFile || !isMarkdown(rel) {
			return nil
		}
		c.cut(f, rel, e)
		path := rel[:len(rel)-len(".md")]
		did, err := c.document(set, path, f, rel, e, maxDocument, func(content []byte) error {
			r, m := c.h.Record("slash_commands"), readFrontmatter(content)
			r.String("id", "commands:"+path)
			r.String("name", or(m.name, strings.ReplaceAll(path, "/", ":")))
			r.StringOrNull("description", m.description)
			return emitDocument(r, f.shown(rel), content, m, e)
		})
		changed = changed || did
		return err
	})
	if err != nil {
		return err
	}
	return c.finishSet("slash_commands", "commands:", set, state, changed)
}

// readNotes emits the notes of one project.
func (c *collection) readNotes(project string) error {
	f := c.projects.sub(project + "/memory")
	state, err := c.walk(f, func(rel string, e entry) error {
		if e.kind != kindFile || !isMarkdown(rel) {
			return nil
		}
		c.cut(f, rel, e)
		path := project + "/" + rel
		did, err := c.document(c.notes, path, f, rel, e, maxDocument, func(content []byte) error {
			r, m := c.h.Record("memory_notes"), readFrontmatter(content)
			r.String("id", "memory_notes:"+path)
			r.String("project_path", project)
			r.String("note_path", rel)
			r.String("name", or(m.name, rel[:len(rel)-len(".md")]))
			r.StringOrNull("description", m.description)
			return emitDocument(r, f.shown(rel), content, m, e)
		})
		c.changed = c.changed || did
		return err
	})
	if state == listedPart {
		c.notes.markSeen(project + "/")
	}
	return err
}

// emitDocument sets the fields that all documents share.
func emitDocument(r *sdk.Record, path string, content []byte, m frontmatter, e entry) error {
	r.String("path", path)
	r.String("content", view(wholeRunes(content)))
	r.Raw("frontmatter", m.json)
	r.Int("mtime_epoch", e.mtime/1000)
	return r.Emit()
}

func or(text, otherwise string) string {
	if text != "" {
		return text
	}
	return otherwise
}

// ownSet returns the set of a stream with a separate cursor.
func (c *collection) ownSet(stream string) docSet {
	set := docSet{}
	set.read(c.h.Cursor(stream).Get("files"))
	return set
}

// finishSet deletes the records of files that vanished from a folder that could be
// listed, and stores the set when it changed.
func (c *collection) finishSet(stream, prefix string, set docSet, state listed, changed bool) error {
	if state == listedPart {
		set.markSeen("")
	}
	for _, path := range set.vanished() {
		changed = true
		if err := c.h.Delete(stream, prefix+path); err != nil {
			return err
		}
	}
	if !changed {
		return nil
	}
	b := set.append(jsonappend.Name([]byte{'{'}, "files"))
	return c.h.State(stream, append(b, '}'))
}
