// Package postgres reaches a PostgreSQL server for the store: an address becomes pools of
// connections (address.go), which are database/sql's over pgx's protocol (driver.go), text
// that the server cannot hold is refused before it is sent, an error is told apart by what can be done about it (errors.go), and many rows
// go in at once (rows.go). It knows no table; storage/internal/db has the transactions.
//
// Nothing here prepares a statement: values are part of a statement's text, so that a
// session holds none, and pgbouncer may stand in between in transaction mode.
package postgres
