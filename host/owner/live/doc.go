// Package live tells many watchers what changes in the store, as soon as it is committed
// (OC-10, OC-15).
//
// One Hub looks at the store for all of them, and only while there is one. Whatever process
// wrote a change, it is told. An event says which connection, run, question or device has
// changed and never how: a watcher asks for what it shows. So an event that is told twice
// does no harm, and a newer one stands for an older one.
//
// The changes of connections are numbered in the store. A watcher that fell behind, or was
// away, goes on from the mark of the last event that it saw.
package live
