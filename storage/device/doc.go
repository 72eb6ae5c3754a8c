// Package device takes what a collector on another machine delivers: enrollment, manifests,
// batches of records, cursors, gaps, artifacts, heartbeats, and the end of its runs, under
// the same lease as any other run.
//
// A device is not believed: its own words are kept short and limited to known ones, its clock
// makes nothing younger than this store's does, and its deliveries reach its own connection
// alone. Data comes from host/api; records go to storage/record through the writer of
// storage/run.
package device
