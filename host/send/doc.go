// Package send is the one way from a connector to its provider: a governor per
// provider that decides when a request may go, whether it is sent again, and
// when to stop.
//
// In: a request of the http host call, and the provider's profile from the
// connector's manifest. Out: the provider's answer, or a *Stop that says why no
// more is sent and when to go on. It knows no guest, no store and no
// credential; what it learned (Learned) and how it fared (CollectionRate,
// Transition) are values that its caller keeps.
//
// One request passes, in this order and before each attempt (contract of the
// governor; RT-20): the run's budget and the circuit breaker, which answer at
// once, and the pacing, which alone may wait. After a failure, and only there,
// the retry layer sleeps. Address checks are in egress, what one run puts around
// the governor (credentials, cookies, the ledger of bytes) in call, the
// virtual-time filter of `debug governor` in replay.
package send
