// Package send is the only way from a connector to its provider: one governor per
// provider decides when a request may be sent, whether it is sent again, and when to
// stop.
//
// In: a request of the http host call, and the provider's profile from the connector's
// manifest. Out: the provider's answer, or a *Stop with the reason and the time at
// which to continue. The package knows no guest, no store and no credential; its
// caller stores the learned rate (Learned) and the evidence (abi.CollectionRate,
// Transition).
//
// Before each attempt a request passes, in this order (governor contract; RT-20), the run's budget and
// the circuit breaker, which answer at once, and the pacing, which alone may wait. The
// retry layer sleeps only after a failure. Address checks are in egress; credentials,
// cookies and the ledger of bytes, which one run puts around the governor, are in
// call; the virtual-time filter of `debug governor` is in replay.
package send
