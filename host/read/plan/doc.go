// Package plan makes of a record what the read state keeps of it: the bytes that it is
// ordered by, its day, the words of the fields that are searched (entry.go), hashes of its
// fields, by which their changes are told apart, and its references to artifacts (hash.go) and to
// other records (lead.go). A stream's plan follows from its manifest alone (plan.go); Cache has those of the streams of a
// store.
package plan
