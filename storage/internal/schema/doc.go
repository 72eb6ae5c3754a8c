// Package schema knows what the steps make in a store, in a file and on a server, and refuses a store
// that has anything else or lacks any of it: a view in a table's place, a stranger's trigger or a
// function before the server's own is code that each statement of this program would run. The lists
// file.txt and server.txt are written by the tests of package db, which has the steps.
package schema
