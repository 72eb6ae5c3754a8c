// Package shape reads what a stream's schema says of its fields, and tells whether a value
// of the source fits.
//
// In: the JSON Schema of a stream, as the manifest has it. Out: a Field for each property.
// It knows the keywords type, format date-time and items; a property that says more or
// something else takes any value, and the host, which knows the whole language, decides.
package shape
