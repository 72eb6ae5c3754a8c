// Package provider holds the bounds of a manifest's provider section.
//
// Check reports each field that is out of bounds by its path. The limits themselves
// take effect in host/send, and abi/manifest reads the fields' types. The package is
// separate from abi, which guests link and which imports nothing.
package provider
