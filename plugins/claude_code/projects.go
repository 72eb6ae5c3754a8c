package main

import "strings"

// readProjects collects the projects folder: notes, tool results, transcripts.
func (c *collection) readProjects() error {
	projects, state := c.list(c.projects)
	c.projectsListed = state
	wanted := false
	for _, stream := range [...]string{"sessions", "messages", "attachments", "memory_notes"} {
		wanted = wanted || c.h.Wants(stream)
	}
	c.readCursor(c.h.Cursor("sessions"))
	if !wanted {
		return nil
	}
	seen := map[string]listed{}
	for _, p := range projects {
		if p.kind != kindFolder {
			continue
		}
		how, err := c.readProject(p.name)
		if err != nil {
			return err
		}
		seen[p.name] = how
	}
	c.files.sort()
	c.transcriptsRead = true
	if err := c.readTranscripts(); err != nil {
		return err
	}
	if err := c.forget(state, seen); err != nil {
		return err
	}
	c.noteLines()
	if !c.changed {
		return nil
	}
	c.encode()
	return c.h.State("sessions", c.cursor)
}

// readProject finds the transcripts of one project, and reads its small files.
func (c *collection) readProject(project string) (listed, error) {
	entries, state := c.list(c.projects.sub(project))
	if c.h.Wants("memory_notes") {
		if err := c.readNotes(project); err != nil {
			return state, err
		}
	}
	for _, e := range entries {
		switch {
		case e.kind == kindFile && strings.HasSuffix(e.name, transcriptSuffix) && e.name != transcriptSuffix:
			c.found(project+"/"+e.name, e)
		case e.kind == kindFolder && e.name != "memory":
			how, err := c.readSessionFolder(project, e.name)
			if err != nil {
				return state, err
			}
			if how == listedPart {
				state = listedPart
			}
		}
	}
	return state, nil
}

// readSessionFolder finds the transcripts of a session's subagents, and reads
// its tool results.
func (c *collection) readSessionFolder(project, session string) (listed, error) {
	dir := project + "/" + session
	if c.h.Wants("attachments") {
		if err := c.readToolResults(dir, session); err != nil {
			return listedPart, err
		}
	}
	f := c.projects.sub(dir + "/subagents")
	return c.walk(f, func(rel string, e entry) error {
		if e.kind == kindFile && strings.HasSuffix(rel, transcriptSuffix) {
			c.found(dir+"/subagents/"+rel, e)
		}
		return nil
	})
}

func (c *collection) found(key string, e entry) {
	t := c.files.get(key)
	t.present = true
	if t.condensed {
		t.news = t.size != e.size || t.mtime != e.mtime
	} else {
		t.news = !t.cursor.Known() || t.cursor.Size != e.size || t.cursor.MTimeMS != e.mtime
	}
	t.size, t.mtime = e.size, e.mtime
}

// forget drops the state of deleted files. Their records stay, see the package's
// documentation. A share stays as long as another transcript of the session exists, or
// the session's record would lose it. Nothing is forgotten for a folder that could not
// be listed; when there is no projects folder at all, the granted folder is probably
// the wrong one.
func (c *collection) forget(state listed, seen map[string]listed) error {
	if state != listedWhole {
		return nil
	}
	alive := map[string]bool{}
	for _, t := range c.files.list {
		for i := range t.shares {
			if t.present {
				alive[t.shares[i].id] = true
			}
		}
	}
	gone := func(project string) bool {
		how, listed := seen[project]
		return !listed || how != listedPart
	}
	c.changed = c.files.remove(func(t *transcript) bool {
		if t.present || !gone(t.project) {
			return false
		}
		for i := range t.shares {
			if alive[t.shares[i].id] {
				return false
			}
		}
		return true
	}) || c.changed
	for project, how := range seen {
		if how == listedPart {
			c.results.markSeen(project + "/")
			c.notes.markSeen(project + "/")
		}
	}
	if c.h.Wants("attachments") && len(c.results.vanished()) > 0 {
		c.changed = true
	}
	if !c.h.Wants("memory_notes") {
		return nil
	}
	for _, path := range c.notes.vanished() {
		c.changed = true
		if err := c.h.Delete("memory_notes", "memory_notes:"+path); err != nil {
			return err
		}
	}
	return nil
}

// torn reports whether bytes follow the last complete line.
func (t *transcript) torn() bool { return t.present && !t.condensed && t.cursor.Size > t.cursor.Offset }
