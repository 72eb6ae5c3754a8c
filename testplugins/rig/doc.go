// Package rig sets up everything that a test needs to run a guest end to end: the guest
// built from source and a module cache that its tests share (both from tree), and over
// them a separate engine, store and runner for the test.
//
// Nothing here knows a guest. In: a module and limits. Out: run.Result and the rows of
// the store.
package rig
