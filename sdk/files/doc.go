// Package files is the floor of connectors that read folders which their owner, or a program
// of theirs, keeps.
//
// Here: Walk, which lists a folder within bounds and tells what it could not see (walk.go);
// Set, the records of a stream that describe what is there now, of which only new and changed
// ones are emitted (set.go) and vanished ones left to the host, which weighs and deletes them
// (bury.go); Row, the stream that accounts for each
// store of a folder (row.go). Not here: files that grow by lines (package filecursor), and
// archives (packages exports and archive).
//
// In: an fs.FS (a granted root), and the cursor of the run before. Out: records, tombstones,
// and the cursor for the next run.
//
// A folder that could not be listed proves nothing: a record is deleted only when its file is
// missing from a folder that was seen whole.
package files
