// Package exports runs a connector of archives that an owner downloads from a service and
// puts into a folder, as they are or unpacked.
//
// Here: Folder, the sources in a granted folder: archives wherever they lie, and loose files
// (folder.go); File, one file of them (file.go); Books, the one place that decides what became of
// each file (books.go); Findings, what was found wrong, with the places, and Tally, counts by words
// (findings.go); Report, which tells them (report.go); Each, which reads every source once
// (each.go, cursor.go), and when it was made (age.go); the numbers of an export's parts (parts.go); Time and Parameter, for times
// and addresses as exports spell them (text.go). Not here: the reading of an archive (package
// archive) and the meaning of its files.
//
// In: the granted folder and the cursors. Out: slices, progress, SKIP_RESULTs.
//
// Each file ends in one of five ways (Fate): read, passed over by a rule, known and unread, damaged,
// or not understood. All but the first two are counted, named and told in every run as long as
// the file is there. A fault of a file does not end the run. An archive that is newer than
// another one has the last word on the records of both, whichever was there first.
package exports
