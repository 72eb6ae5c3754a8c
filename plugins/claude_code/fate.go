package main

import (
	"bytes"
	"path"
	"strings"

	"github.com/pdpp-host/pdpp-host/sdk/files"
)

// fate is what becomes of an entry of the projects folder. Every one has a fate, and fateOf
// decides it.
type fate uint8

const (
	fateRule       fate = iota // passed over, by a rule below
	fateFolder                 // looked into
	fateTranscript             // read
	fateNote                   // read
	fateToolResult             // read, for its beginning
	fateLater                  // known, and no stream holds it yet
	fateUnknown                // not understood
)

// fateOf tells an entry by its path below the projects folder; of a transcript the name is a hint, see isTranscript:
// PROJECT/SESSION.jsonl, PROJECT/memory/…, PROJECT/SESSION/subagents/… and
// PROJECT/SESSION/tool-results/….
func fateOf(p string, kind files.Kind) fate {
	parts, name := strings.Split(p, "/"), path.Base(p)
	transcript := strings.HasSuffix(name, transcriptSuffix) && name != transcriptSuffix
	switch {
	case name == ".DS_Store", name == "Thumbs.db", name == "desktop.ini", strings.HasPrefix(name, "._"),
		strings.HasSuffix(name, ".tmp"), strings.HasSuffix(name, ".lock"):
		return fateRule // of systems, or being written
	case len(parts) <= 2:
		switch {
		case kind == files.Folder:
			return fateFolder
		case kind == files.File && len(parts) == 2 && transcript:
			return fateTranscript
		case len(parts) == 2 && name == "sessions-index.json":
			return fateRule // an index that Claude Code makes of the transcripts
		}
		return fateUnknown
	case parts[1] == "memory":
		switch {
		case kind == files.Folder:
			return fateFolder
		case strings.EqualFold(path.Ext(name), ".md"):
			return fateNote
		}
		return fateUnknown
	case parts[2] == "session-memory":
		return fateLater
	case kind == files.Folder && (parts[2] == "subagents" || parts[2] == "tool-results"):
		return fateFolder
	case parts[2] == "tool-results":
		return fateToolResult
	case parts[2] == "subagents" && transcript:
		return fateTranscript
	case parts[2] == "subagents" && strings.HasSuffix(name, ".meta.json"):
		return fateRule // what started a subagent, which its transcript says, too
	}
	return fateUnknown
}

// decide returns what becomes of an entry, and notes one that is not understood. Links that
// lead nowhere were noted when they were listed.
func (c *collection) decide(p string, e files.Entry) fate {
	as := fateOf(p, e.Kind)
	if as == fateUnknown && e.Kind == files.File && c.isTranscript(p) {
		as = fateTranscript
	}
	if as == fateUnknown && (e.Kind != files.Other || !e.Link) {
		c.note(notUnderstood, c.projects.shown(p))
	}
	if as == fateLater {
		c.later++
	}
	if e.Kind == files.File {
		switch as {
		case fateUnknown:
			c.books.Unknown(c.projects.root, c.projects.path(p))
		case fateTranscript:
			c.books.Read(c.projects.root, c.projects.path(p)) // in this run, or an earlier one
		case fateToolResult:
			c.said(c.projects, p, e.Size, previewRead, ruleToolResults)
		}
	}
	return as
}

const (
	// maxLooked bounds the files of other names that are looked into in one run.
	maxLooked = 1000
	// lookedAt is how much of one is read.
	lookedAt = 128 << 10
)

// isTranscript reports whether a file where transcripts lie, under another name, is one by its first lines.
func (c *collection) isTranscript(p string) bool {
	parts := strings.Split(p, "/")
	if len(parts) != 2 && (len(parts) < 4 || parts[2] != "subagents") {
		return false
	}
	if c.files.byKey[p] != nil { // it was one before
		return true
	}
	if c.looked++; c.looked > maxLooked {
		return false
	}
	head, err := files.Read(c.projects.fsys, c.projects.path(p), lookedAt)
	if err != nil || bytes.HasPrefix(head, []byte("PK\x03\x04")) { // an archive may hold a transcript as it is
		return false
	}
	for line := range bytes.Lines(head) {
		if e, ok := c.parser.parse(bytes.Trim(line, "\x00\ufeff \t\r\n")); ok && e.kind != lineOther && usableID(e.session) && usableID(e.uuid) {
			return true
		}
	}
	return false
}
