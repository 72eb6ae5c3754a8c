// Package call implements the http host call for one run: a guest's request comes in
// as bytes, the provider's answer goes out as bytes.
//
// In: the network section of the manifest, the owner's exceptions, and a Secrets that
// holds the connection's credentials. Out: answers for the guest, steps for an
// Observer, and at the end the run's counts, learned rate and refusals. Package send
// does pacing, retries and stops; package egress checks addresses.
//
// A secret is added below the governor, for one attempt at one hop, and only at a hop
// for which the slot was made. It is removed from everything that goes back to the
// guest, so a provider that repeats it reveals nothing. No error or event contains a
// secret.
package call
