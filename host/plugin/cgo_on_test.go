//go:build cgo

package plugin

// cgoBuild reports that this binary may contain C code; one thread then cannot act for
// all, and the worker runs without no-new-privileges. The product is built without C
// code.
const cgoBuild = true
