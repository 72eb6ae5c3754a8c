package main

import (
	"slices"
	"strings"

	"github.com/pdpp-host/pdpp-host/sdk/filecursor"
	"github.com/pdpp-host/pdpp-host/sdk/files"
)

// readProjects collects the projects folder: notes, tool results, transcripts.
func (c *collection) readProjects() error {
	l := c.list(c.projects)
	c.projectsAbsent = l.Absent
	c.readCursor(c.h.Cursor("sessions"))
	if before := c.h.Previous("sessions"); before.Exists() {
		c.notes.Read(before.Get("notes"))
		c.notes.Renew()
		c.results.Read(before.Get("tool_results"))
		c.results.Renew()
	}
	if !slices.ContainsFunc([]string{"sessions", "messages", "attachments", "memory_notes"}, c.h.Wants) {
		return nil
	}
	partly := map[string]bool{} // projects of which something could not be listed
	for _, fault := range l.Faults {
		partly[fault.Path] = true
	}
	for _, p := range l.Entries {
		if c.decide(p.Path, p) != fateFolder {
			continue
		}
		whole, err := c.readProject(p.Path)
		if err != nil {
			return err
		}
		if !whole {
			partly[p.Path] = true
		}
	}
	c.files.sort()
	c.takeMoved(partly)
	c.transcriptsRead = true
	if err := c.readTranscripts(); err != nil {
		return err
	}
	if l.Listed() && !l.Absent {
		if err := c.forget(partly); err != nil {
			return err
		}
	}
	c.noteLines()
	if !c.changed && !c.notes.Changed() && !c.results.Changed() {
		return nil
	}
	c.encode()
	return c.h.State("sessions", c.cursor)
}

// readProject finds the transcripts of one project, and reads its small files. whole is false
// when it could not be listed to its end.
func (c *collection) readProject(project string) (whole bool, err error) {
	l := c.list(c.projects.sub(project))
	whole = l.Listed()
	if c.h.Wants("memory_notes") {
		if err := c.readNotes(project); err != nil {
			return whole, err
		}
	}
	for _, e := range l.Entries {
		switch c.decide(project+"/"+e.Path, e) {
		case fateTranscript:
			c.found(project+"/"+e.Path, e)
		case fateFolder:
			if e.Path == "memory" {
				continue // readNotes was there
			}
			all, err := c.readSessionFolder(project, e.Path)
			if err != nil {
				return whole, err
			}
			whole = whole && all
		}
	}
	return whole, nil
}

// readSessionFolder finds the transcripts of a session's subagents, and reads
// its tool results.
func (c *collection) readSessionFolder(project, session string) (whole bool, err error) {
	dir := project + "/" + session
	wanted := func(p string) bool {
		top, _, inside := strings.Cut(p, "/")
		return !inside || top == "subagents" || top == "tool-results" && c.h.Wants("attachments")
	}
	l := c.walkSome(c.projects.sub(dir), maxWalkDepth+1, wanted)
	if !l.Listed() {
		c.results.Keep(dir + "/")
	}
	for _, e := range l.Entries {
		switch c.decide(dir+"/"+e.Path, e) {
		case fateToolResult:
			if e.Kind != files.File {
				continue
			}
			rel, _ := strings.CutPrefix(e.Path, "tool-results/")
			if err := c.readToolResult(dir, session, rel, e); err != nil {
				return false, err
			}
		case fateTranscript:
			if e.Kind == files.File {
				c.found(dir+"/"+e.Path, e)
			}
		}
	}
	return l.Listed(), nil
}

func (c *collection) found(key string, e files.Entry) {
	t := c.files.get(key)
	t.present = true
	if t.condensed {
		t.news = !t.Same(e.Stamp)
	} else {
		t.news = !t.cursor.Same(e.Stamp)
	}
	if !t.news && (t.condensed && files.Learn(&t.Stamp, e.Stamp) || !t.condensed && filecursor.Learn(&t.cursor, e.Stamp)) {
		c.changed = true
	}
	t.Stamp = e.Stamp
}

// takeMoved gives the state of transcripts whose project's folder has another name now to those under that name.
func (c *collection) takeMoved(partly map[string]bool) {
	gone := map[string]*transcript{}
	for _, t := range c.files.list {
		if _, below, _ := strings.Cut(t.key, "/"); !t.present && t.cursor.Known() && !partly[t.project] && gone[below] == nil {
			gone[below] = t
		}
	}
	moved := map[*transcript]bool{}
	for _, t := range c.files.list {
		_, below, _ := strings.Cut(t.key, "/")
		old := gone[below]
		if !t.present || t.condensed || t.cursor.Known() || old == nil {
			continue
		}
		delete(gone, below)
		t.take(old)
		if c.join(t); !t.news && filecursor.Learn(&t.cursor, t.Stamp) {
			c.changed = true
		}
		t.markShares(c)
		moved[old] = true
	}
	c.changed = c.files.remove(func(t *transcript) bool { return moved[t] }) || c.changed
}

// take makes the state of a transcript that is gone the one of t.
func (t *transcript) take(old *transcript) {
	t.cursor, t.root, t.shares, t.found = old.cursor, old.root, old.shares, old.found
	t.news = !t.cursor.Same(t.Stamp)
	for i := range t.shares {
		s := &t.shares[i]
		s.project = projectFolder(t.project, s.cwd)
	}
}

// forget drops the state of deleted files. Their records stay, see the package's
// documentation. A share stays as long as another transcript of the session exists, or
// the session's record would lose it. Nothing is forgotten for a folder that could not
// be listed; when there is no projects folder at all, the granted folder is probably
// the wrong one.
func (c *collection) forget(partly map[string]bool) error {
	alive := map[string]bool{}
	for _, t := range c.files.list {
		for i := range t.shares {
			if t.present {
				alive[t.shares[i].id] = true
			}
		}
	}
	c.changed = c.files.remove(func(t *transcript) bool {
		return !t.present && !partly[t.project] && !slices.ContainsFunc(t.shares, func(s share) bool { return alive[s.id] })
	}) || c.changed
	for project := range partly {
		c.results.Keep(project + "/")
		c.notes.Keep(project + "/")
	}
	if c.h.Wants("attachments") {
		c.results.Forget()
	}
	return c.notes.Bury()
}

// settledMS is for how long nobody writes to a transcript that ends within a line before the rest of the line is
// called missing.
const settledMS = 60 * 60 * 1000

// isCut reports whether a transcript ends within a line that nobody is writing.
func (c *collection) isCut(t *transcript) bool { return t.torn() && c.isSettled(t) }

// isSettled reports whether nobody writes to a transcript. One with a time in the future was copied, or a clock was wrong: its
// time says nothing of a writer.
func (c *collection) isSettled(t *transcript) bool {
	age := c.h.Now().UnixMilli() - t.MTimeMS
	return age > settledMS || age < -settledMS
}

// torn reports whether bytes follow the last complete line.
func (t *transcript) torn() bool { return t.present && !t.condensed && t.cursor.Size > t.cursor.Offset }
