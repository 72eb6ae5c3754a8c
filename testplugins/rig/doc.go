// Package rig sets up what a test needs to run a guest end to end: the guest
// built from source and a module cache that its tests share (both from tree),
// and over them an engine, a store and a runner of the test's own.
//
// Nothing here knows a guest. What goes in is a module and limits; what comes
// out is run.Result and the rows of the store.
package rig
