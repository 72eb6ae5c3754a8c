// Command ical collects calendar events from iCalendar files (RFC 5545) in one
// granted folder, the root "ical".
//
// In: every *.ics file below the folder. Out: the streams calendars (one record
// a file), events, and coverage_diagnostics (what the files hold that is not
// collected). Subscription URLs are not read: they need the network, which this
// connector does not ask for.
//
// An event's id is a hash of calendar, UID and RECURRENCE-ID. The start is not
// part of it, so that moving an event changes its record instead of making a
// second one. A calendar's id is a hash of the file's path below the folder:
// two files with the same UID are two calendars, and a renamed file is a new
// one.
//
// A file is read twice. The first pass (survey.go) keeps one small entry for
// each event: which of several copies counts, and a fingerprint. The second
// (collect.go) emits the events whose fingerprint is not the cursor's. A file
// that cannot be read, ends early or changes in between is skipped and keeps
// its earlier events: only a file that was read to its end may say that an
// event is gone. An event that is gone, or whose STATUS is CANCELLED, becomes a
// tombstone, and so do all events of a file that is gone. Where no calendar is left
// and something else is, nothing is buried: that is likelier another folder.
//
// A full refresh emits everything again. Of the cursor before it, it keeps which
// files and events there were, so that it buries what is gone by the same rules;
// what it could not read stays in the cursor for a later run.
//
// The module has no time zone data. An instant is given only where the file
// proves it: UTC values, and zones that the file defines with a VTIMEZONE.
// start_utc is such an instant or null. starts_at, which consent and time ranges
// look at, is a sort key and no instant: where time_zone_known is false it is
// the local time spelled with a Z, off by a zone's offset at most. Events in
// zones that the file does not define are reported and counted in every run, as
// are dates that cannot be and events without a UID.
//
// DTSTAMP is left out on purpose: many services write the time of the download
// there, which would make every event new every day.
package main
