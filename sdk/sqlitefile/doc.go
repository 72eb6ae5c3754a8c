// Package sqlitefile reads the tables of a SQLite database file without SQLite:
// row by row, read-only, in bounded memory, with the changes of a write-ahead
// log beside the file. It exists because a sandboxed connector sees a folder of
// files and nothing else.
//
// Here: the file header, table b-trees with overflow pages, the
// record format, sqlite_schema with the columns of a CREATE TABLE statement,
// and the WAL's committed frames. Not here: indexes, WITHOUT ROWID and
// virtual tables, expressions, writing, locking, and rollback journals (a
// caller that finds a hot "-journal" beside the file should not read it).
//
// Bytes come from the caller's two streams (io.ReadSeeker, since a WASI guest
// may import seek and read but not pread) and leave as Row values that are
// valid until the next row. Every byte is untrusted: pages that form a loop, a
// tree that is too deep, cells that overlap, lengths that lie and payloads
// above a limit end in *Error, never in a panic, an endless loop or an
// allocation that the file's own size does not justify. A damaged page or row costs
// itself (scan.go): Table.Each goes on behind it, and returns the first damage at its end. Without an
// error, each page of the table was read. DB.Tables names the tables that a caller may not know.
//
// The source is the public file format (sqlite.org/fileformat2.html); section
// numbers in comments are that document's.
//
// A DB is for one goroutine. It takes no lock on the file: a writer may change
// it between two reads, so a caller compares Stamp before and after, as Live.Still does.
package sqlitefile
