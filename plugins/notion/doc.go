// Command notion collects the pages and databases that a Notion workspace
// shares with an integration: their titles, places, times and property values.
// Text blocks inside pages are not read.
//
// In: Notion's API, version 2022-06-28. Out: the streams pages and databases.
//
// Both are listed by search, the most recently edited first. Search has four
// weaknesses, and the walk (walk.go) is built around them:
//
// Times are cut to the minute, so an edit can hide behind an equal time: the
// walk goes on past the last run's newest time by an hour, and a fingerprint
// kept for each object (ledger.go), not the time, decides what is emitted.
// Objects show up late, and some never: once a day the walk goes through
// everything. What is in the trash does not show up at all: what the daily walk
// did not meet is asked for by id (missing.go), and only a 404 or a trashed
// object becomes a tombstone. Pages of results shift when somebody works: a
// walk that meets what an earlier one should have met is repeated by the next
// run, until one brings no surprise.
//
// A full refresh emits everything again. Of the cursor before it, it keeps which
// objects there were, so that those that it does not meet are asked for, too.
//
// Every run asks first whose token it is, and the cursors name the workspace: a
// token of another one is refused, because pages of two would be mixed. A full
// refresh takes it and buries what it does not meet.
//
// Each page of results ends in a slice, so that a run that was ended goes on
// where it was and emits nothing twice. The newest time moves only when a walk
// has reached its end.
//
// Links to files and pictures are left out: they are signed, expire within an
// hour, and would make every record new in every run.
package main
