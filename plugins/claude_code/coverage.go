package main

import (
	"slices"

	"github.com/pdpp-host/pdpp-host/sdk/files"
	"github.com/pdpp-host/pdpp-host/sdk/problems"
)

// maxUnknown bounds how many unknown entries get a row of their own.
const maxUnknown = 50

// coverage accounts for every store: the outcome of each known one, each unknown one,
// and every place that could not be read. A new or changed row is emitted, and a row
// that is no longer true is deleted.
func (c *collection) coverage() error {
	if !c.h.Wants("coverage_diagnostics") {
		return nil
	}
	set := files.OpenRows(c.h, "coverage_diagnostics")
	set.Reader(keysVersion)
	for _, row := range slices.Concat(c.storeRows(), c.unknownRows(), c.problemRows()) {
		if err := set.Row(row); err != nil {
			return err
		}
	}
	if !c.transcriptsRead { // the rows about lines are unknown to this run
		for _, p := range aboutLines {
			set.Keep("coverage:" + p.store)
		}
		set.Keep("coverage:other_lines")
		set.Keep("coverage:unknown_lines")
		set.Keep("coverage:session_memory")
		set.Keep("coverage:cut_messages")
	}
	return set.Close(true)
}

// aboutLines are the problems of the lines of transcripts.
var aboutLines = []*problem{invalidLines, longLines, tornLines, cutLines, emptyFiles, changing, notUnderstood}

// was is what an earlier version called a store.
var was = map[string]string{
	"projects": "sessions", "commands": "slash_commands", "derived_messages": "messages",
	"derived_attachments": "attachments", "derived_memory_notes": "memory_notes",
}

// storeRows reports the outcome of each known store.
func (c *collection) storeRows() []files.Row {
	rows := make([]files.Row, 0, len(stores))
	for i := range stores {
		s := &stores[i]
		row := files.Row{Store: s.name, Was: was[s.name], Stream: s.stream, Status: s.status, Reason: s.reason}
		switch {
		case !c.isThere(s) && !c.home.entries.Listed():
			row.Status, row.Reason = files.StatusUnaccounted, "the home folder could not be listed"
		case !c.isThere(s):
			if row.Status = files.StatusMissing; !s.shared {
				row.Reason = "not there"
			}
		case s.stream != "" && !c.h.Wants(s.stream):
			row.Status, row.Reason = files.StatusDeferred, "not asked for by the last run"
		}
		rows = append(rows, row)
	}
	return rows
}

// nothingFound notes a home folder without any store of a stream: it is probably the
// wrong folder.
func (c *collection) nothingFound() {
	for i := range stores {
		if s := &stores[i]; s.stream != "" && c.isThere(s) {
			return
		}
	}
	if c.home.entries.Listed() {
		c.note(nothing, c.home.shown("."))
	}
}

func (c *collection) isThere(s *store) bool {
	if s.entries[0] == rootProjects {
		return !c.projectsAbsent
	}
	return slices.ContainsFunc(c.home.entries.Entries, func(e files.Entry) bool { return slices.Contains(s.entries, e.Path) })
}

// unknownRows names the other entries of the home folder.
func (c *collection) unknownRows() []files.Row {
	var rows []files.Row
	for _, e := range c.home.entries.Entries {
		if isKnown(e.Path) {
			continue
		}
		if len(rows) < maxUnknown {
			rows = append(rows, files.Row{Store: e.Path, Kind: "entry:", Status: files.StatusUnaccounted,
				Reason: "a " + e.Word() + " that this connector does not know"})
		}
	}
	return rows
}

// cutOne and cutMany describe messages beyond maxContent.
const (
	cutOne  = "message is longer than 131,072 characters; its beginning was collected"
	cutMany = "messages are longer than 131,072 characters; their beginning was collected"
)

// problemRows accounts for everything that could not be read in this run and, for
// lines, in earlier ones.
func (c *collection) problemRows() []files.Row {
	var rows []files.Row
	for _, p := range allProblems {
		n := int64(c.problems.Count(&p.Kind))
		if n == 0 || p.store == "" || !c.transcriptsRead && slices.Contains(aboutLines, p) {
			continue
		}
		rows = append(rows, files.Row{Store: p.store, Status: p.status, Reason: problems.Counted(n, p.One, p.Many)})
	}
	if c.cutEver > 0 {
		rows = append(rows, files.Row{Store: "cut_messages", Stream: "messages", Status: files.StatusUnsupported,
			Reason: problems.Counted(c.cutEver, cutOne, cutMany)})
	}
	if c.later > 0 {
		rows = append(rows, files.Row{Store: "session_memory", Status: files.StatusDeferred, Reason: reasonLater})
	}
	if c.transcriptsRead {
		rows = append(rows, c.lineRows()...)
	}
	return rows
}
