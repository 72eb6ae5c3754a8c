// Package egress is the wall around what a connector can reach: https, to the
// hosts that its manifest names, at addresses of the public internet.
//
// In: one request, and a Policy made of the manifest and the owner's
// exceptions. Out: the answer, decompressed and bounded, or an *abi.Error that
// is never retried. The name is checked before a request is sent and the
// address when it is dialled, so that neither a redirect nor a name that
// resolves to something else gets through. No proxy is taken from the
// environment. It follows no redirect and waits for nothing.
package egress
