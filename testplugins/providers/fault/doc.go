// Package fault makes an http.Handler fail on purpose.
//
// An Injector wraps a provider. A Rule says which requests fail, when, and how. The
// Faults are the ways: a status with headers (429 with or without Retry-After, quota
// headers, a refusal with nothing remaining, 5xx), a slow, short, broken or changed
// body, another content type, a cut connection. Time and chance are passed in. In:
// requests. Out: answers that a client must survive; the Injector counts the spoiled
// ones.
package fault
