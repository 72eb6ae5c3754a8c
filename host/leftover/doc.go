// Package leftover has the files of a connection's folders that its last run did not read, and
// changes which of them are not for the connection (AC-03). It serves a host's connections and
// the lanes of a local collector.
//
// In: the books of the last run, from the store. Out: the list of files, and the owner's patterns
// with what they leave. Not here: how the files are found (host/plugin), and what the verdict makes
// of them (health).
package leftover
