// Package tree builds packages of this tree for tests, each at most once for a test
// binary, and keeps a place for everything that all its tests share: the modules and
// the machine code that they were compiled to.
//
// It knows the go command and nothing of a host, so that the tests of every package may
// use it. A TestMain that lets it build calls Remove at its end.
package tree
