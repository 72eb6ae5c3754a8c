// Command notion collects the pages and databases that a Notion workspace shares with
// an integration: their titles, places, times and property values. Text blocks inside
// pages are not read.
//
// In: Notion's API, version 2025-09-03. Out: the streams pages and databases, of which a record
// is a table: the API calls it a data source, and a database holds one or several.
//
// Both are listed by search, the most recently edited first. Search has four
// weaknesses, and the walk is built around them:
//
// Times are cut to the minute, so an edit can hide behind an equal time. The walk
// therefore continues past the last run's newest time by an hour, and emits every object
// that it meets; the host writes those that have changed. Objects show up late, and some
// never, so once a day the walk goes through everything, as an enumeration of the stream.
// Objects in the trash do not show up at all, so the run asks by id for the objects that
// the host has and the daily walk did not meet. A trashed object becomes a tombstone, and one
// that is not found is left for the host to weigh with the list. Pages of results shift while people work: the cursor counts
// the objects up to a time of creation, and a walk that meets more of them than there were
// is repeated by the next run, until the number is right.
//
// Every run first asks whose token it is, and the cursors name the workspace. A token
// of another workspace is refused, because the pages of two would be mixed. A full
// refresh accepts it and buries the objects that it does not meet.
//
// Each page of results ends in a slice, so that a run that was ended continues there.
// The newest time moves only when a walk has reached its end.
//
// Links to files and pictures are left out: they are signed, expire within an hour, and
// would make every record new in every run.
package main
