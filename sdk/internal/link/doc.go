// Package link is the seam between the SDK and the carrier of its host calls: the wasm
// imports in a guest, a scripted host in sdk/sdktest.
//
// Here: one interface over the host-call table of package abi, and nothing else. It is
// internal because connectors never make host calls themselves.
package link
