// Package db is the database under the evidence store: one SQLite file that several
// processes of one user may have open at the same time, or one database of a PostgreSQL
// server that several machines may.
//
// It opens the file and brings its schema up to date (open.go, file.go, migrate.go), reads one
// that it may not write (reading.go), asks it by statements that stay prepared (query.go), and writes through one goroutine that commits what all
// runs have queued as one transaction (writer.go, link.go). A Tx (tx.go) knows no table: a room
// of the store attaches its own state to it (State) and what has to be written before the commit
// or done after it (BeforeCommit, AfterCommit). Deleted text is overwritten in the file and in
// its log (fold.go). Every error of the driver becomes a typed one here (errors.go). All stand on
// what an open database is (db.go).
//
// PostgreSQL stands behind the same methods (postgres.go, postgres_session.go,
// postgres_migrate.go; whole.go has what both answer in their own way). One transaction at
// a time writes there, too, under an advisory lock.
//
// No table, no lease, no run is known here. The rooms of the store come in through
// Options, Op and Tx; rows go to them through the transaction and the read pool.
package db
