// Package pgtest starts a PostgreSQL of its own for the tests of a process: one cluster in
// a private folder, reached by a socket in it alone, and a database for each test. It ends,
// and its folder goes, when the process ends, however that ends. Tests that keep files can
// run once more on it (again.go).
package pgtest
