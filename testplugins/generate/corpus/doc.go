// Package corpus writes folders like those that the first-party connectors read, for
// benchmarks, crash tests and demonstrations.
//
// Here: one writer for each kind of folder (claudecode.go, codex.go, ical.go, and
// takeout.go and twitter.go over archive.go, which packs) over one source of invented text
// (prose.go). Not here: the broken, torn and hostile inputs of the connectors' own tests,
// which are beside those tests.
//
// In: a kind, a size and a seed. Out: files on disk. The same options give the same
// bytes and the same modification times on every machine; nothing is read, not even the
// clock. Lines are written as they are made, so memory does not grow with the size.
package corpus
