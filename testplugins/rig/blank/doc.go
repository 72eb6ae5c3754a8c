// Package blank hands tests stores that are new and have their schema already: the first of
// a test run is made, by every step of the schema there is, and the others are copies of
// its file. Each step reads the whole schema again, so a new store costs more than most of
// what a test does with it.
//
// It knows nothing of a store, so that the tests of every package may use it. A test that is
// about making a store makes one.
package blank
