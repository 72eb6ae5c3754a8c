// Package exports runs a connector of archives that an owner downloads from a service and
// puts into a folder.
//
// Here: Folder, the archives of a granted folder (folder.go); Tally, the counts of files and
// of problems that a cursor keeps, so that a run over unchanged archives repeats them, and
// Report, which tells them (tally.go); Each, which reads every archive once (each.go); Time
// and Parameter, for times and addresses as exports spell them (text.go). Not here: the
// reading of an archive (package archive) and the meaning of its files.
//
// In: the granted folder and the cursors. Out: slices, progress, SKIP_RESULTs.
//
// A fault of a file in an archive is that file's: it is counted, told once a run and does not
// end it. An archive that cannot be read to its end keeps no cursor.
package exports
