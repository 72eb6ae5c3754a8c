// Package provider holds the bounds of what a manifest may say of its provider's
// limits.
//
// Here: Check, which tells each field that is out of bounds by its path. Not here:
// what the limits do (host/send), and the types of the fields, which abi/manifest
// reads. It is apart from abi, which is linked into guests and imports nothing.
package provider
