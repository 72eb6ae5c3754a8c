// Package bed has what a test of the console lies on: an owner's home, the built host that
// serves it, connectors that were built from this tree, simulated providers, and another
// computer with the local collector, all on this machine.
//
// The program and the modules are built once for a test binary. A TestMain that uses a bed
// calls tree.Remove at its end.
package bed
