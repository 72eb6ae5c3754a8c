package main

import (
	"github.com/pdpp-host/pdpp-host/sdk"
	"github.com/pdpp-host/pdpp-host/sdk/filecursor"
	"github.com/pdpp-host/pdpp-host/sdk/files"
)

// transcript is one file of lines, with the results of the runs so far.
type transcript struct {
	key      string // path below projects
	project  string // first element of key
	session  string // that the file is named after
	subagent bool   // every line belongs to session, whatever the line contains

	cursor filecursor.Cursor
	root   string // uuid of its first line that has one; copies of a conversation have the same
	was    string // root of the version whose shares are kept while another one is read
	shares []share
	found
	present bool // listed by this run
	news    bool // unlike the cursor, until the file is read
	// condensed: the cursor has only its stamp.
	condensed   bool
	files.Stamp // as listed
}

// found is what reading a transcript found that no record has whole. It goes with the cursor.
type found struct {
	invalid badLines // lines that are no JSON
	tooLong badLines // lines above maxLine
	unknown []string // types of its lines that this version does not know, at most maxUnknownOfOne
	cut     int64    // messages longer than maxContent
	strange bool     // it has lines, and none is one that Claude Code writes
}

// Bounds of reading, in bytes. A line with pictures is rarely above 8 MiB; a crash
// costs one slice (PB-D8).
const (
	maxLine    = 16 << 20
	sliceBytes = 16 << 20
)

// readTranscripts reads the new lines of every listed transcript, in the order of their
// keys.
func (c *collection) readTranscripts() error {
	c.scanner.MaxLine, c.scanner.Whole = maxLine, isWhole
	c.expand()
	for _, t := range c.files.list {
		if t.present && t.news {
			c.total += max(t.Size-t.cursor.Offset, 0)
		}
	}
	for _, t := range c.files.list {
		if !t.present || t.condensed {
			continue
		}
		if err := c.readTranscript(t); err != nil {
			return err
		}
		if c.sliceDue() {
			if err := c.slice(); err != nil {
				return err
			}
		}
		if c.h.Stopping() {
			return c.stop()
		}
	}
	if c.total > 0 {
		if err := c.h.Progress("reading transcripts", c.read, max(c.total, c.read), "bytes"); err != nil {
			return err
		}
	}
	return c.emitSessions()
}

// sliceDue reports whether enough was read since the last slice. A large cursor
// asks for large slices, because each one writes it.
func (c *collection) sliceDue() bool {
	return c.unsaved >= max(sliceBytes, 4*int64(len(c.cursor)))
}

// stop keeps the lines read so far and ends the run.
func (c *collection) stop() error {
	if err := c.slice(); err != nil {
		return err
	}
	return sdk.ErrStopped
}

// readTranscript reads the new lines of one file. The error ends the run; a fault of
// the file is only noted.
func (c *collection) readTranscript(t *transcript) error {
	before := *t
	before.shares = append([]share(nil), t.shares...)
	plan, err := c.scanner.Open(c.projects.fsys, c.projects.path(t.key), t.cursor)
	if err != nil {
		c.unreadable(c.projects.shown(t.key), err)
		c.books.Known(c.projects.root, c.projects.path(t.key), unreadable.Reason)
		return nil
	}
	if plan == filecursor.Rebuild {
		t.reset(c)
	}
	c.copies, c.seen, c.alike, c.lost, c.begun = c.copiesIn(t, plan), nil, nil, 0, t.cursor.Offset
	if plan != filecursor.Append {
		c.begun = 0
	}
	c.met, c.understood = t.strange, plan == filecursor.Append && t.cursor.Offset > 0 && !t.strange
	err = c.readLines(t)
	c.countLost(c.understood)
	result, closing := c.scanner.Close()
	switch {
	case err != nil || plan == filecursor.Skip:
		return err
	case closing != nil:
		c.unreadable(c.projects.shown(t.key), closing)
		c.books.Known(c.projects.root, c.projects.path(t.key), unreadable.Reason)
	case result.Change == filecursor.Vanished:
		// The lines read so far stay, and with them the session. There is no file to
		// continue with.
		t.cursor, c.changed = filecursor.Cursor{}, true
		return nil
	case !result.Advanced:
		c.note(changing, c.projects.shown(t.key))
	}
	if !result.Advanced {
		t.restore(c, before)
		return nil
	}
	for _, long := range result.Oversized {
		t.tooLong.add(long.Line)
		c.lost++
		c.read += long.Length
	}
	t.cursor, t.news, c.changed = result.Cursor, false, true
	t.strange = !c.understood && (c.met || t.cursor.Offset == 0 && !filecursor.BeginsObject(c.projects.fsys, c.projects.path(t.key)))
	c.countLost(!t.strange)
	return nil
}

// countLost counts the lines of the file at hand that no record holds, if it is a transcript: a file of
// something else has no items.
func (c *collection) countLost(transcript bool) {
	if transcript {
		c.books.Items("messages").KeptBack += c.lost
		c.lost = 0
	}
}

// reset forgets the transcript's contribution: it is read from its start. Where another version has taken the place of
// the one that was read, its records stay, and its shares with them.
func (t *transcript) reset(c *collection) {
	t.markShares(c)
	if !t.cursor.Known() {
		t.shares = nil
	}
	t.was, t.root, t.found = t.root, "", found{}
}

// again sees to it that a version of a conversation that begins like the one before is not counted on top of it.
func (t *transcript) again() {
	if t.root != t.was {
		return
	}
	for i := range t.shares {
		s := &t.shares[i]
		s.count, s.before = 0, max(s.count, s.before)
	}
}

// restore undoes this run's changes to the transcript, because its cursor stays where
// it was. A slice in the middle may have moved it.
func (t *transcript) restore(c *collection, before transcript) {
	t.markShares(c)
	*t = before
	t.markShares(c)
	c.changed = true
}

func (t *transcript) markShares(c *collection) {
	for i := range t.shares {
		c.dirty[t.shares[i].id] = true
	}
}

// stepBytes is how often, in bytes read, a file is left for a moment to report
// progress and to see whether the host wants the run to stop.
const stepBytes = 1 << 20

// readLines goes through the lines that the scanner delivers.
func (c *collection) readLines(t *transcript) error {
	for c.scanner.Next() {
		line := c.scanner.Line()
		if err := c.readLine(t, line); err != nil {
			return err
		}
		c.step += int64(len(line)) + 1
		if c.step < stepBytes {
			continue
		}
		if err := c.pause(t); err != nil {
			return err
		}
	}
	c.account()
	return nil
}

// account books the bytes read since the last call.
func (c *collection) account() {
	c.read += c.step
	c.unsaved += c.step
	c.step = 0
}

// pause reports progress in the middle of a file and, when enough was read,
// keeps it: one transcript may be gigabytes.
func (c *collection) pause(t *transcript) error {
	c.account()
	if err := c.h.Progress("reading transcripts", c.read, max(c.total, c.read), "bytes"); err != nil {
		return err
	}
	if !c.sliceDue() && !c.h.Stopping() {
		return nil
	}
	t.cursor, c.changed = c.scanner.Cursor(), true
	if c.h.Stopping() {
		return c.stop()
	}
	return c.slice()
}
