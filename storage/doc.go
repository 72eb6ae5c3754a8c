// Package storage is the evidence store: connections, runs, records, cursors,
// detail gaps, coverage and events, in one SQLite file that several processes
// of one user may open at the same time, or on PostgreSQL.
//
// A Store is its rooms, each a folder with its own tables: connection, credential, run,
// record, read, evidence, device, access, and for a collector outbox. They stand on internal/db
// (the file, its schema, the one writer goroutine with its group commit) and
// internal/tables (rows that several rooms read). An arrow goes one way: outbox and device
// use run, run uses record, record uses evidence. A room attaches what it keeps in a
// transaction to it (db.State) and writes it in a hook before the commit, so that no
// transaction has to know its rooms.
//
// Here are only the opening of a store (store.go), the names by which the host knows the
// types of the rooms (types.go, words.go), and what looks at the whole file (check.go,
// compact.go). They do not decide what a record means, which cursor may be committed, and when
// to run. No plugin, no HTTP.
//
// Callers see Go values only: times are UTC, JSON is text, and nothing that one database
// alone can do shows.
package storage
