// Package call is what stands behind the http host call during one run: a
// request of the guest goes in as bytes, the provider's answer comes out as
// bytes.
//
// In: the network section of the manifest, the owner's exceptions, and a
// Secrets that knows the connection's credentials. Out: answers for the guest,
// Events for whoever watches, and at the end what was counted, learned and
// refused. Pacing, retries and stops are package send's, addresses are egress's.
//
// A secret is placed below the governor, for one attempt at one hop, and only
// when that hop is a place the slot was made for. It is taken out of everything
// that goes back to the guest, so that a provider that repeats it gives nothing
// away. No secret stands in an error or an event.
package call
