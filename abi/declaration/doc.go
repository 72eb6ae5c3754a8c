// Package declaration reads what a manifest says of its streams to whoever reads their
// records: the fields with their types, the order, and what may be searched and filtered.
//
// It reads a manifest that was accepted, so that it checks nothing: what it cannot read is
// left out. abi/manifest checks one, and has what a run acts on.
package declaration
