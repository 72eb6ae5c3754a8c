// Package providers holds simulated providers: one package for each service
// that a first-party connector reads, and package fault, by which they fail.
//
// A simulation answers as the service's public documents say: paths, paging,
// limits, headers, errors. It is an http.Handler, so that a test hands it to
// sdktest or puts it behind a server and points base_url there. Its data is
// changed by methods (add, edit, delete), its clock and randomness are passed
// in, and it keeps every request for assertions.
//
// Not here: anything that sends, and anything that knows a connector.
package providers
