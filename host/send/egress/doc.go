// Package egress is the wall around a connector's network: it allows https to the
// hosts that the manifest names, at addresses of the public internet.
//
// In: one request, and a Policy made from the manifest and the owner's exceptions.
// Out: the answer, decompressed and bounded, or an *abi.Error that is never retried.
// The name is checked before a request is sent and the address when it is dialled, so
// neither a redirect nor a name that resolves to another address gets through. No
// proxy is taken from the environment. The package follows no redirect and never
// waits.
package egress
