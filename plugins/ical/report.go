package main

import (
	"slices"
	"strconv"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/sdk/jsonappend"
)

// More reasons of SKIP_RESULT.
const (
	problemForgotten = "removed_events_unknown"
	problemReduced   = "cursor_reduced"
	problemTooMany   = "too_many_files"
	problemNothing   = "nothing_found"
	problemGone      = "calendars_missing"
)

// maxNamed is how many files one message names.
const maxNamed = 20

// Reasons of SKIP_RESULT for faults inside of files. Every run repeats them, from the
// cursor, until the file changes.
const (
	problemLines = "malformed_lines"
	problemCut   = "line_too_long"
	problemDates = "dates_malformed"
	problemZones = "time_zone_unknown"
	problemNoUID = "uid_missing"
)

// problemTexts has the meaning and the remedy of each problem.
var problemTexts = [...]struct{ problem, one, many, hint string }{
	{problemTorn, "calendar file ends early, or does not close what it opens; its earlier events stay",
		"calendar files end early, or do not close what they open; their earlier events stay", "retry_by_runtime"},
	{problemNotICal, "file with a calendar's name contains no calendar; its earlier events stay",
		"files with a calendar's name contain no calendar; their earlier events stay", "manual_action_required"},
	{problemUnreadable, "calendar file or folder could not be read; its earlier events stay",
		"calendar files or folders could not be read; their earlier events stay", "manual_action_required"},
	{problemChanged, "calendar file was written while it was read", "calendar files were written while they were read", "retry_by_runtime"},
	{problemGone, "calendar file was here, and now the folder has no calendar: it may be the wrong one, or not be mounted;" + goneStays,
		"calendar files were here, and now the folder has no calendar: it may be the wrong one, or not be mounted;" + goneStays, "manual_action_required"},
	{problemForgotten, "removed calendar file had more events than the cursor could remember: these events stay",
		"removed calendar files had more events than the cursor could remember: these events stay", "not_retriable"},
}

// goneStays tells owners how to confirm a deletion: the host asks about a folder that
// has been emptied.
const goneStays = " its records stay until a calendar is there again, or the folder is empty and accepted as such (--accept-root)"

// contentTexts is problemTexts for faults inside of files.
var contentTexts = [...]struct {
	problem, one, many, hint string
	count                    func(*counts) int64
}{
	{problemLines, "line of a calendar file was not understood", "lines of calendar files were not understood", "not_retriable",
		func(c *counts) int64 { return c.malformed }},
	{problemCut, "line of a calendar file was cut, because it is too long", "lines of calendar files were cut, because they are too long",
		"not_retriable", func(c *counts) int64 { return c.oversized }},
	{problemDates, "date or duration of an event is impossible; the event was collected without it",
		"dates or durations of events are impossible; the events were collected without them", "not_retriable",
		func(c *counts) int64 { return c.badDates }},
	{problemZones, "event is in a time zone that its file does not define; only its local time is known",
		"events are in time zones that their files do not define; only their local times are known", "not_retriable",
		func(c *counts) int64 { return c.unknownZone }},
	{problemNoUID, "event has no UID; when it is edited, it becomes another event", "events have no UID; when they are edited, they become other events",
		"not_retriable", func(c *counts) int64 { return c.noUID }},
}

// report reports everything that was not collected to the host.
func (r *run) report() error {
	r.problems[problemUnreadable] = append(r.problems[problemUnreadable], r.list.failed...)
	// A file that never was a calendar is a fact of the folder. One that was is for its
	// owner to put right: its records are neither new nor deleted.
	var strangers []string
	r.problems[problemNotICal] = slices.DeleteFunc(r.problems[problemNotICal], func(p string) bool {
		never := r.before[p] == nil || r.before[p].live == 0
		if never {
			strangers = append(strangers, p)
		}
		return never
	})
	for _, t := range problemTexts {
		files := r.problems[t.problem]
		if len(files) == 0 {
			continue
		}
		if err := r.skip(t.problem, counted(int64(len(files)), t.one, t.many), t.hint, details(int64(len(files)), files)); err != nil {
			return err
		}
	}
	if n := int64(len(strangers)); n > 0 {
		message := counted(n, "file with a calendar's name contains no calendar", "files with a calendar's name contain no calendar")
		if err := r.skip(problemNotICal, message, "not_retriable", details(n, strangers)); err != nil {
			return err
		}
	}
	if len(r.list.files)+len(r.list.failed)+len(r.problems[problemGone]) == 0 {
		if err := r.skip(problemNothing, "the folder has no calendar files", "not_retriable", nil); err != nil {
			return err
		}
	}
	for _, t := range contentTexts {
		n, files := r.inFiles(t.count)
		if n == 0 {
			continue
		}
		if err := r.skip(t.problem, counted(n, t.one, t.many), t.hint, details(n, files)); err != nil {
			return err
		}
	}
	if r.list.tooMany {
		err := r.skip(problemTooMany, "only the first "+strconv.Itoa(maxFiles)+" calendar files are read", "manual_action_required", nil)
		if err != nil {
			return err
		}
	}
	if r.printsLost+r.idsLost > 0 {
		return r.skip(problemReduced, "more events than a cursor can remember: when one of "+counted(int64(r.printsLost), "file", "files")+
			" changes, all its events are sent again; events removed from "+counted(int64(r.idsLost), "file", "files")+" are not noticed",
			"not_retriable", nil)
	}
	return nil
}

// details is a SKIP_RESULT's diagnostics: how many, and in which files.
func details(n int64, files []string) []byte {
	slices.Sort(files)
	d := jsonappend.Int(jsonappend.Name([]byte{'{'}, "count"), n)
	return append(jsonappend.Strings(jsonappend.Name(d, "files"), files[:min(len(files), maxNamed)]), '}')
}

// inFiles sums up a count over all files, and names the files with a count.
func (r *run) inFiles(count func(*counts) int64) (n int64, files []string) {
	for p, s := range r.after {
		if c := count(&s.counts); c > 0 {
			n += c
			files = append(files, p)
		}
	}
	return n, files
}

func (r *run) skip(reason, message, hint string, diagnostics []byte) error {
	return r.h.Skip(abi.SkipResult{
		Stream: streamEvents, Reason: reason, Message: message,
		RecoveryHint: jsonappend.String(nil, hint), Diagnostics: diagnostics,
	})
}
