// Package schema answers one question: does a value on a tape satisfy a stream's JSON
// Schema 2020-12?
//
// Two validators answer it. The library (santhosh-tekuri/jsonschema, format assertion
// on) reads every schema, and its answer is final. For schemas with only common
// keywords a shape is compiled from the library's own reading of the schema; it runs
// over the tape without allocating and answers yes, no or unsure. Only its yes is
// final: in every other case the library decides and names the place and the keyword.
//
// Schemas and values both come from a guest and are hostile. A schema loads no other
// document, is bounded in size, depth and regular expressions, and each validation has
// a budget of work that grows only with the value. An answer never contains a part of
// the value: the name of an undeclared member appears as "*" in a path.
//
// A Schema is not safe for concurrent use.
package schema
