//go:build cgo

package plugin

// cgoBuild says that this binary may hold C code; then one thread cannot act
// for all, and the worker is left without no-new-privileges. The product is
// built without.
const cgoBuild = true
