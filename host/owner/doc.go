// Package owner has what an owner can do, once: one operation a file, with typed input,
// a typed result, stable error codes, and an audit event for each change. The command
// line is its first face; an API and a console call the same operations (OC-01).
//
// An operation prints nothing, asks nobody and reads no flag. A face gives it ports: Deps has
// those of the installation (store, engine, folders), and an input has those of one request,
// such as Consent. Paths arrive independent of where they were typed.
//
// Each change leaves one audit event (OC-02), and one rule says which refusals do: an
// operation that has found in the store what it would change leaves the refusal's code
// with that name. Until then there is nothing but what somebody typed, which may be a
// secret, and no event. Nor is there one where nothing was refused: of a question, of a
// change of nothing, of an owner who did not confirm or who interrupted. A run by hand
// leaves the event of its beginning, and one of its own for a module that it is the
// first to be accepted for; a run by schedule is nobody's change.
//
// The operations about connections, their schedules, runs, records and health are here;
// those of other nouns are functions of the folders below: connectors, credentials,
// data, devices, doctor, handoffs, notifications, questions, running, serving, settings and
// store.
//
// It reads modules with host/owner/modules and credentials with host/owner/credential,
// keeps everything in storage, and leaves health to health/verdict: Runtime and Verdict
// say what the stored evidence says now. Hints name the commands of pdpp-host; a face
// words them for its own.
package owner
