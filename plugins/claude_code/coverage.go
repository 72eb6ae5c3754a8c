package main

import (
	"strings"

	"github.com/pdpp-host/pdpp-host/sdk/jsonappend"
	"github.com/pdpp-host/pdpp-host/sdk/sha256"
)

// coverageRow is one record of coverage_diagnostics.
type coverageRow struct{ id, store, stream, status, reason string }

// maxUnknown bounds how many unknown entries get a row of their own.
const maxUnknown = 50

// coverage accounts for every store: the outcome of each known one, each unknown one,
// and every place that could not be read. A new or changed row is emitted, and a row
// that is no longer true is deleted.
func (c *collection) coverage() error {
	if !c.h.Wants("coverage_diagnostics") {
		return nil
	}
	rows := c.storeRows()
	rows = append(rows, c.unknownRows()...)
	rows = append(rows, c.problemRows()...)
	known, now, changed := map[string]string{}, map[string]string{}, false
	for it := c.h.Cursor("coverage_diagnostics").Get("rows").Children(); it.Next(); {
		known[it.Name().Str()] = it.Value().Str()
	}
	for _, row := range rows {
		sum := sha256.Sum256([]byte(row.stream + "\n" + row.status + "\n" + row.reason))
		digest := hexText(sum[:8])
		now[row.id] = digest
		if known[row.id] == digest {
			continue
		}
		changed = true
		r := c.h.Record("coverage_diagnostics")
		r.String("id", row.id)
		r.String("store", row.store)
		r.StringOrNull("stream", row.stream)
		r.String("status", row.status)
		r.String("reason", row.reason)
		if err := r.Emit(); err != nil {
			return err
		}
	}
	for _, id := range sortedKeys(known) {
		if now[id] != "" {
			continue
		}
		if !c.transcriptsRead && aboutLines(id) {
			now[id] = known[id] // unknown to this run
			continue
		}
		changed = true
		if err := c.h.Delete("coverage_diagnostics", id); err != nil {
			return err
		}
	}
	if !changed {
		return nil
	}
	b := append(jsonappend.Name([]byte{'{'}, "rows"), '{')
	for _, id := range sortedKeys(now) {
		b = jsonappend.String(jsonappend.Name(b, id), now[id])
	}
	return c.h.State("coverage_diagnostics", append(b, "}}"...))
}

// aboutLines reports whether a row is about the lines of transcripts.
func aboutLines(id string) bool {
	for _, kind := range [...]problem{problemInvalid, problemTooLong, problemTorn, problemChanged} {
		if id == "coverage:"+problemTexts[kind].store {
			return true
		}
	}
	return id == "coverage:other_lines" || id == "coverage:cut_messages"
}

// storeRows reports the outcome of each known store.
func (c *collection) storeRows() []coverageRow {
	rows := make([]coverageRow, 0, len(stores))
	for i := range stores {
		s := &stores[i]
		row := coverageRow{"coverage:" + s.name, s.name, s.stream, s.status, s.reason}
		switch {
		case s.name == "auth": // not even whether it exists
		case !c.isThere(s) && c.homeListed != listedWhole:
			row.status, row.reason = statusUnaccounted, "the home folder could not be listed"
		case !c.isThere(s):
			row.status, row.reason = statusMissing, "not there"
		case s.stream != "" && !c.h.Wants(s.stream):
			row.status, row.reason = statusDeferred, "not asked for by the last run"
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
	if c.homeListed == listedWhole {
		c.problems.note(problemNothing, c.home.shown("."))
	}
}

func (c *collection) isThere(s *store) bool {
	if s.entries[0] == "projects" {
		return c.projectsListed != listedAbsent
	}
	for _, name := range s.entries {
		for _, e := range c.entries {
			if e.name == name {
				return true
			}
		}
	}
	return false
}

// unknownRows names the other entries of the home folder.
func (c *collection) unknownRows() []coverageRow {
	var rows []coverageRow
	for _, e := range c.entries {
		if isKnown(e.name) {
			continue
		}
		c.problems.note(problemUnknown, e.name)
		if len(rows) < maxUnknown {
			rows = append(rows, coverageRow{"coverage:entry:" + e.name, e.name, "", statusUnaccounted,
				"a " + e.kind.word(e.link) + " that this connector does not know"})
		}
	}
	return rows
}

// cutOne and cutMany describe messages beyond maxContent.
const (
	cutOne  = "message is longer than 5,000 characters; its beginning was collected"
	cutMany = "messages are longer than 5,000 characters; their beginning was collected"
)

// problemRows accounts for everything that could not be read in this run and, for
// lines, in earlier ones.
func (c *collection) problemRows() []coverageRow {
	var rows []coverageRow
	for kind := range c.problems {
		n := c.problems[kind].count
		t := &problemTexts[kind]
		if n == 0 || t.store == "" || problem(kind) == problemUnknown || !c.transcriptsRead && aboutLines("coverage:"+t.store) {
			continue
		}
		rows = append(rows, coverageRow{"coverage:" + t.store, t.store, "", t.status, counted(n, t.one, t.many)})
	}
	if c.cutEver > 0 {
		rows = append(rows, coverageRow{"coverage:cut_messages", "cut_messages", "messages", statusUnsupported, counted(c.cutEver, cutOne, cutMany)})
	}
	if len(c.otherTypes) > 0 && c.transcriptsRead {
		rows = append(rows, coverageRow{"coverage:other_lines", "other_lines", "", statusDeferred,
			"no stream holds transcript lines of type " + strings.Join(sortedKeys(c.otherTypes), ", ")})
	}
	return rows
}
