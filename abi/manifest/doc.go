// Package manifest decodes the bytes that a guest passes to the host in pdpp_describe
// into an abi.Manifest, or reports every problem in them.
//
// It decodes strictly (size, syntax, UTF-8, duplicate names, nesting) and checks each
// field that the host acts on. A field that the host does not act on is accepted
// unread, so a manifest written for another implementation of the Collection Profile
// loads unchanged; only capabilities.refresh_policy refuses unknown keys. The package
// also answers questions about facts that a valid manifest states in several places,
// such as which credentials the connector can use.
//
// Other packages check whether a stream's schema is a valid JSON Schema
// (host/boundary), whether the module imports what its bindings allow (host/plugin),
// and whether a folder exists (host/files).
//
// The bytes come from an untrusted guest by way of host/plugin, or from a pin in
// storage. The result holds copies, and no reference to them.
package manifest
