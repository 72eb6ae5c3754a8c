// Package run is a run from its begin to its end: the lease (lease.go, fence.go), the writer and
// its queue (writer.go, ops.go), gaps, coverage, events, the outcome (finish.go), and the end
// of old runs (retention.go, history.go). What a run collects goes to a sink (sink.go): the
// store's records, or a collector's outbox.
//
// What does not live here: which cursor may be committed and when to run; host/run and
// host/schedule decide. Records go to storage/record, facts to storage/evidence.
package run
