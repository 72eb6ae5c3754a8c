// Package api is the host's side of the device protocol: what a collector on a
// person's own machine sends over HTTP (collector contract, section 6) becomes
// rows of the evidence store, or one typed refusal.
//
// Bytes come from a device, which is trusted with its own source and with nothing else, and
// from anybody who can reach the address. A request passes, in this order: path and method;
// the protocol's version; a slot among the requests that run; the credential; the path's
// device and source, which must be the credential's own; the size, the type and the syntax of
// the body. Only then is it read. A caller with a code and no credential yet gets a slot only
// after its body. A record goes through host/boundary with the manifest that its source put,
// as a local run's does, and a batch is taken whole or not at all.
//
// Every answer is JSON and carries a request id. No answer and no line of the log
// holds a token, a code, a record's value or a path: a refusal names its code, the
// field and the rule.
//
// It does not hold the owner's routes (codes, lists, revocation), because the host has no
// credential of an owner's yet; `pdpp-host devices` does these things beside the server.
// Which statements write what is storage's, and what a heartbeat means is health's. Where the
// address comes from is the command's, but not whether it may be listened on: host/web/listen
// has that rule.
package api
