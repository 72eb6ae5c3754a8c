// Package evidence keeps the row that a connection's health rests on. A transaction that changes
// a fact changes the row with it (change.go, facts.go); the row can be made again from all
// that is stored (gatherer.go, gather.go, waiting.go, credential.go, device.go, manifest.go), and both
// ways give the same row (check.go). The queries of changed.go serve those who follow all connections.
//
// When a gap is recovered, storage/run calls GapMoved here, and the row is written before the
// commit. It does not hold the verdict (health), which is computed when read.
package evidence
