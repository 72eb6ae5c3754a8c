// Package manifest turns the bytes that a guest hands over from pdpp_describe
// into an abi.Manifest, or says everything that is wrong with them.
//
// What lives here: strict decoding (size, syntax, UTF-8, duplicate names,
// nesting) and the rules of each field that the host acts on. A field that the
// host does not act on is accepted unread, whatever it holds, so that a
// manifest written for another implementation of the Collection Profile loads
// here unchanged; only capabilities.refresh_policy refuses keys it does not
// know. And what a valid manifest says in several places at once: which
// credentials the connector can use.
//
// What does not: whether a stream's schema is a valid JSON Schema
// (host/boundary), whether the module imports what its bindings allow
// (host/plugin), and whether a folder exists (host/files).
//
// The bytes come from an untrusted guest by way of host/plugin, or from a pin
// in storage. What comes out holds no reference to them but for copies.
package manifest
