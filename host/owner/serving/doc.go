// Package serving is the operation that runs connections when they are due. It decides
// which process serves a data folder, and is what host/schedule asks: may a connection
// run, what does its run rest on, has its owner done what it waits for.
//
// Start and Stop are a run by hand on a face: it goes on in this process when its asker goes
// away. lives.go has the runs that go on.
//
// host/schedule has the loop, host/run a run. The face says how long to serve and writes what
// happens.
package serving
