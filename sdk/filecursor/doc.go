// Package filecursor reads files that grow line by line, from where the last
// run stopped.
//
// Here: Cursor, which a connector keeps for a file between runs; Scanner, which
// decides from a cursor whether a file is skipped, continued or read anew, and
// walks its complete lines; Files, the cursors of many files as one JSON
// object; Guards and Scanner.OpenAt, for logs that are too large to hash whole. Not here: the meaning of a line, and the choice of the files.
//
// In: an fs.FS (a granted root) and the cursors of the run before. Out: lines,
// and the cursors for the next run. Memory is one buffer per Scanner, as large
// as the longest line read, whatever the size of a file.
//
// The promise: every complete line (one that ends in LF) of a file that only
// grows is delivered once over all runs that commit their cursor. A file that
// changed in any other way is delivered again from its start. A last line without an LF
// waits for the run that finds it, unless the caller calls it whole (last.go): it is
// delivered then, and its file from the start if it turns out to go on. A mark of the byte
// order is no part of a line. A change of the content that alters
// neither the size nor a time of the file goes unnoticed (files.Stamp).
//
// Nothing here is safe for concurrent use.
package filecursor
