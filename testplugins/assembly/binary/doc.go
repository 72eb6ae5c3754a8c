// Package binary spells the parts of a WebAssembly module in its binary format:
// numbers, names, vectors, types and sections.
//
// It knows no whole module. Its callers decide which sections a module has and what is
// wrong with them: assembly, and the tests of host/plugin, whose loader this package
// must not know.
package binary
