// Package schema answers one question: does a value on a tape satisfy a
// stream's JSON Schema 2020-12?
//
// Two validators answer it. The library (santhosh-tekuri/jsonschema, format
// assertion on) reads every schema, and its word is final. For schemas of the
// common keywords a shape is compiled from the library's own reading of the
// schema; it runs over the tape without allocating and says yes, no or unsure.
// Only its yes is final: everything else goes to the library, which decides
// and names the place and the keyword.
//
// Schemas and values both come from a guest and are hostile. A schema loads
// nothing from anywhere, is bounded in size, depth and regular expressions,
// and each validation has a budget of work that grows with the value alone.
// Answers never hold a part of the value: an undeclared member's name shows as
// "*" in a path.
//
// A Schema is not safe for concurrent use.
package schema
