// Package binary spells the parts of a WebAssembly module in its binary format:
// numbers, names, vectors, types and sections.
//
// It knows no module. Which sections there are and what is wrong with them is
// said by who puts a module together: assembly, and the tests of host/plugin,
// whose loader it must not know.
package binary
