// Package link is the seam between the SDK and whatever carries its host
// calls: the wasm imports in a guest, a scripted host in sdk/sdktest.
//
// Here: one interface over the host-call table of package abi, and nothing
// else. It is internal because a connector never calls the host by itself.
package link
