// Package run is a run from its begin to its end: the lease (lease.go, fence.go), the writer
// and its queue (writer.go, ops.go), gaps, coverage, events, the outcome (finish.go), and the
// end of old runs (retention.go, history.go). A run's records go to a sink (sink.go): the
// store's records, or a collector's outbox.
//
// It does not hold which cursor may be committed and when to run; host/run and host/schedule
// decide. Records go to storage/record, facts to storage/evidence.
package run
