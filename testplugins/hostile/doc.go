// Package hostile is the one place that lists every guest that means harm, or is
// broken as if it did, each with the exact outcome that it must get: how the
// run ends, for which reason and error code, what is stored, and that no cursor
// moves. It has no code of its own but its tests.
//
// Each attack goes the whole way, through the engine, the boundary, the run and
// the store, and in both isolation modes, but where only a process can be ended.
// Most are scripts for testplugins/guests/scripted; modules that no compiler
// would build come from testplugins/assembly. What a single package does with
// one broken rule is that package's own test.
package hostile
