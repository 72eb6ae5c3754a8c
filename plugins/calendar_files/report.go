package main

import (
	"strconv"

	"github.com/pdpp-host/pdpp-host/sdk/cursor"
	"github.com/pdpp-host/pdpp-host/sdk/problems"
)

// The kinds of problems: of files, and of what is in them. Every run repeats the latter, from
// the cursor, until the file changes.
var (
	torn = kind("file_incomplete", "manual_action_required",
		"calendar file ends early, has zeros in the place of text, or does not close what it opens; what is whole was collected, and its earlier events stay",
		"calendar files end early, have zeros in the place of text, or do not close what they open; what is whole was collected, and their earlier events stay")
	notICal = kind("not_a_calendar", "manual_action_required", "file with a calendar's name contains no calendar; its earlier events stay",
		"files with a calendar's name contain no calendar; their earlier events stay")
	unreadableFile = kind("file_unreadable", "manual_action_required", "calendar file or folder could not be read; its earlier events stay",
		"calendar files or folders could not be read; their earlier events stay")
	linked = kind("link_not_followed", "manual_action_required",
		"link leads to a folder, out of the folder, or nowhere, or begins with a slash, and was not followed: put what it leads to in its place; what was collected below its name stays",
		"links lead to folders, out of the folder, or nowhere, or begin with a slash, and were not followed: put what they lead to in their place; what was collected below their names stays")
	changed = kind("file_changed_while_read", "retry_by_runtime", "calendar file was written while it was read",
		"calendar files were written while they were read")
	gone = kind("calendars_missing", "manual_action_required",
		"calendar file was here, and now the folder has none: it may be the wrong one, or not mounted;"+goneStays,
		"calendar files were here, and now the folder has none: it may be the wrong one, or not mounted;"+goneStays)
	unread = kind("calendar_unread", "manual_action_required",
		"calendar file is gone, and a file that was not read may be it, packed or under another name; its events stay: unpack that one under the calendar's name, or take it out of the folder",
		"calendar files are gone, and files that were not read may be they, packed or under other names; their events stay: unpack those under the calendars' names, or take them out of the folder")
	// A file that never was a calendar is a fact of the folder. One that was is for its
	// owner to put right: its records are neither new nor deleted.
	stranger = &problems.Kind{HostTells: true, One: "file with a calendar's name contains no calendar", Many: "files with a calendar's name contain no calendar"}
	nothing  = &problems.Kind{Reason: "nothing_found", Hint: "not_retriable", Plain: "the folder has no calendar files; those in a zip are read once they are unpacked there"}
	badLines = kind("malformed_lines", "not_retriable", "line of a calendar file was not understood, and a text that it is part of ends before it: look at the line, and mend it or export the calendar again, if you need it",
		"lines of calendar files were not understood, and texts that they are part of end before them: look at the lines, and mend them or export the calendars again, if you need them")
	cutLines = kind("line_too_long", "not_retriable", "line of a calendar file was cut, because it is too long",
		"lines of calendar files were cut, because they are too long")
	guessed = kind("encoding_guessed", "not_retriable", "text of a calendar file is not UTF-8 and names no known encoding; it was read as Windows-1252: if its letters are wrong, export the calendar as UTF-8",
		"texts of calendar files are not UTF-8 and name no known encoding; they were read as Windows-1252: if their letters are wrong, export the calendars as UTF-8")
	doubled = kind("event_ambiguous", "manual_action_required",
		"event has two starts or two identifiers, and may be what is left of two; it was not collected, and its file's earlier events stay: put it right in its calendar's program",
		"events have two starts or two identifiers, and may be what is left of two; they were not collected, and their files' earlier events stay: put them right in their calendar's program")
	repeated = kind("property_repeated", "not_retriable", "value of an event was left out: its property comes again with another one, and a record has room for one",
		"values of events were left out: their properties come again with other ones, and a record has room for one")
	cutEvent = kind("event_cut", "not_retriable", "event has more text, or longer lists, than a record has room for; their beginning was collected",
		"events have more text, or longer lists, than a record has room for; their beginning was collected")
	noYear = kind("time_zone_year_unknown", "not_retriable", "event starts in a year for which neither its file nor this connector has the rules of its time zone; only its local time is known",
		"events start in years for which neither their files nor this connector has the rules of their time zones; only their local times are known")
	misnamed = &problems.Kind{HostTells: true, One: "file or folder has a name that is not UTF-8", Many: "files or folders have names that are not UTF-8"}
	alike    = kind("events_share_key", "not_retriable", "event has the UID and the time of another one and other content; when it is edited, it becomes another event",
		"events have the UID and the time of others and other content; when they are edited, they become other events")
	moved = kind("event_superseded", "not_retriable", "event is an earlier version of another one by UID and SEQUENCE, started at another time, and was not collected: give it a UID of its own if it is one of its own",
		"events are earlier versions of others by UID and SEQUENCE, started at other times, and were not collected: give them UIDs of their own if they are their own")
	copyKind = kind("calendar_copied", "not_retriable", "calendar file has the calendar and the events of another one, and its events are collected from that one: take one of the two out of the folder",
		"calendar files have the calendars and the events of others, and their events are collected from those: take one of each two out of the folder")
	twice = kind("calendar_twice", "not_retriable", "calendar file has the calendar of another one, as a second export has, so that events of both are stored twice: take the older one of the two out of the folder",
		"calendar files have the calendars of others, as second exports have, so that events of both are stored twice: take the older one of each two out of the folder")
	calledOff = kind("event_called_off", "not_retriable", "event is cancelled by another file, as an invitation is that was called off, and is still collected: take its file out of the folder, or put the event right in its calendar",
		"events are cancelled by other files, as invitations are that were called off, and are still collected: take their files out of the folder, or put the events right in their calendars")
	badDates = kind("dates_malformed", "not_retriable", "date or duration of an event is impossible; the event was collected, without it or with it as its file has it",
		"dates or durations of events are impossible; the events were collected, without them or with them as their files have them")
	noStart = kind("start_missing", "manual_action_required", "event has no start that can be read; it was collected without one",
		"events have no start that can be read; they were collected without one")
	noZone = kind("time_zone_unknown", "not_retriable", "event is in a time zone that neither its file nor this connector defines; only its local time is known",
		"events are in time zones that neither their files nor this connector defines; only their local times are known")
	noUID = kind("uid_missing", "not_retriable", "event has no UID; when it is edited, it becomes another event",
		"events have no UID; when they are edited, they become other events")
	tooMany = &problems.Kind{Reason: "too_many_files", Hint: "manual_action_required",
		Plain: "only the first " + strconv.Itoa(maxFiles) + " calendar files are read"}
	tooDeep = kind("folder_too_deep", "manual_action_required", "folder lies more than "+strconv.Itoa(maxFolderDepth)+" levels deep, and was not looked into: move it further up",
		"folders lie more than "+strconv.Itoa(maxFolderDepth)+" levels deep, and were not looked into: move them further up")
	reduced = kind("cursor_reduced", "not_retriable", "calendar file does not fit the cursor and is read anew in every run",
		"calendar files do not fit the cursor and are read anew in every run")

	kinds = []*problems.Kind{
		torn, notICal, unreadableFile, linked, changed, gone, unread, stranger, nothing, badLines, cutLines, guessed, doubled, repeated, cutEvent, alike, moved, copyKind, twice, calledOff, badDates, noStart, noZone, noYear, noUID, tooMany, tooDeep, reduced,
	}
)

// goneStays tells owners how to confirm a deletion: the host asks about a folder that
// has been emptied.
const goneStays = " its records stay until one is there, or the folder is emptied and accepted (--accept-root)"

func kind(reason, hint, one, many string) *problems.Kind {
	return &problems.Kind{Reason: reason, Hint: hint, One: one, Many: many, Examples: "files", First: 20}
}

// note counts a file or folder that could not be collected.
func (r *run) note(kind *problems.Kind, at string) {
	r.failed++
	r.problems.Note(kind, at)
}

// report reports everything that was not collected to the host.
func (r *run) report() error {
	if len(r.found)+len(r.list.Faults)+r.problems.Count(gone) == 0 {
		r.problems.Note(nothing, "")
	}
	for _, p := range cursor.Keys(r.after.files) {
		c := &r.after.files[p].counts
		if c.broken > 0 {
			r.problems.Note(torn, problems.Line(p, c.brokenAt))
		}
		for _, of := range [...]struct {
			kind  *problems.Kind
			n, at int64
		}{
			{doubled, c.doubled, c.doubledAt}, {cutEvent, c.cut, c.cutAt}, {badLines, c.malformed, c.malformedAt}, {badDates, c.badDates, c.badDatesAt}, {noStart, c.noStart, c.noStartAt},
		} {
			if of.n > 0 {
				r.problems.Add(of.kind, int(of.n), problems.Line(p, of.at))
			}
		}
		if c.repeated > 0 {
			r.problems.Add(repeated, int(c.repeated), problems.Line(p, c.repeatedAt)+" ("+repeatedNames(c.repeatedIn)+")")
		}
		for _, of := range [...]struct {
			kind *problems.Kind
			n    int64
		}{
			{cutLines, c.oversized}, {guessed, c.guessed}, {alike, c.twins}, {moved, c.moved}, {noZone, c.unknownZone}, {noYear, c.zoneYears}, {noUID, c.noUID},
		} {
			if of.n > 0 {
				r.problems.Add(of.kind, int(of.n), p)
			}
		}
	}
	r.reportCopies()
	r.reportCalledOff()
	r.problems.Add(reduced, r.after.dropped, "")
	return r.problems.Report()
}
