// Package index keeps the read state of a store up with its records (storage/read): it walks
// the change sequence, makes an entry of each record (host/read/plan), and makes a stream
// anew whose declaration changed (step.go). Run does so for as long as a server serves, and
// Ready for one read that finds it behind (ready.go).
//
// Every process that has the store open may index. The position in the store says how far it
// is; when two go on from the same one, the second begins its step again.
package index
