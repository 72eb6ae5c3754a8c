// Package hostile is the one place that lists every guest that means harm, or is broken
// as if it did, each with its exact outcome: how the run ends, for which reason and
// error code, which records are stored, and that no cursor moves. It has only tests.
//
// Each attack goes the whole way, through the engine, the boundary, the run and the
// store, and in both isolation modes, except where only a process can be ended. Most
// are scripts for testplugins/guests/scripted; modules that no compiler would build
// come from testplugins/assembly. A package's reaction to one broken rule belongs to
// that package's tests.
package hostile
