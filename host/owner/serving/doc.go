// Package serving is the operation that runs connections when they are due. It decides
// which process serves a data folder, and is what host/schedule asks: may a connection
// run, what does its run rest on, has its owner done what it waits for.
//
// host/schedule has the loop, host/run a run. The face says how long to serve and writes what
// happens.
package serving
