// Command ical collects calendar events from iCalendar files (RFC 5545) in one granted
// folder, the root "calendar_files".
//
// In: every file below the folder with the name of a calendar, such as *.ics or *.vcs, or that begins
// like one (folder.go). Out: the streams calendars (one record a
// file, or one for each calendar in it, see groups.go), events, and coverage_diagnostics (the entries of the files that are not
// collected). Subscription URLs are not read: they need the network, which this
// connector does not ask for.
//
// An event's id is a hash of calendar, UID and RECURRENCE-ID. The start is not part of
// it, so that moving an event changes its record instead of making a second one; only where
// several events share a UID, each is that UID and its start. A
// calendar's id is a hash of the file's path below the folder: two files with the same
// UID are two calendars, and a renamed file is a new one. A file with the calendar and the events of another
// one is a copy, of which nothing is stored (copies.go).
//
// A file is read twice. The first pass (survey.go) keeps one small entry for each
// event: which of several copies counts, and a fingerprint. When the fingerprint of all
// of them differs from the cursor's, the second (collect.go) enumerates the calendar, a
// part of the stream: it emits the events, the host finds the changed ones, and those
// that the host has and the file has not become tombstones, unless they are so many that the host
// asks first: then the calendar is listed again in each run. So it is with a file that is no more, and with the
// calendars, which are one list. Nothing leaves the cursor before the host has let go of it. A file that cannot be read
// or changes in between is skipped and keeps its earlier events: only a file
// that was read to its end proves that an event was deleted. An event whose STATUS is
// CANCELLED counts as deleted, and so do all events of a deleted file. When no calendar
// is left and other files are, nothing is buried: it is probably another folder.
//
// A full refresh emits everything again. It takes from the earlier cursor which files
// existed; files that it could not read stay in the cursor for a later run.
//
// An instant is given only where it is proven: UTC values, zones that the file defines with a
// VTIMEZONE, and else zones whose name sdk/timezone knows, of IANA or of Windows. start_utc is
// such an instant or null. starts_at, the field for consent and time ranges, is a sort key and
// no instant: where time_zone_known is false it is the local time spelled with a Z, off
// by a zone's offset at most. Events in zones that nothing defines are
// reported and counted in every run, as are impossible dates and events without a UID.
//
// One part of a file that does not close, or has zero bytes, costs that part: what is whole is collected,
// the report names the line, and nothing of the file is deleted until it is whole. docs/formats.md has the
// rules by which odd files are read, and their sources.
//
// DTSTAMP is left out on purpose: many services write the time of the download there,
// which would make every event new every day.
package main
