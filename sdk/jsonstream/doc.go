// Package jsonstream finds values in a JSON text of any length by their paths, one after
// the other, in memory for the largest of them.
//
// Here: Reader (reader.go), which tells what each element has of what it looks for (elements.go), goes on
// behind elements that do not close (salvage.go), and finds those of a text whose beginning is missing where
// its caller knows how they begin (headless.go).
// Not here: the reading of a value (package jsonvalue, which parses each).
//
// A path names members from the outermost value inwards, with dots between: "locations.*"
// is each element of the array that is the member locations, "*" each element of an
// outermost array, and "*.tweet.id" a member of a member of each.
//
// In: a stream that nobody vouches for. Out: values that are strictly JSON, valid until the
// next one. Of everything else only brackets, commas and quotes are looked at, so a fault
// inside of a value that no path names goes unnoticed. A value above the limit is counted
// and left out. A value whose brackets close and that is not JSON all the same, and whatever
// stands wrongly between two elements of an array, is a fault that Err tells at the end: the
// elements behind it are found. Behind an element that does not close, the next one is where the
// first member of earlier elements comes again; docs/formats.md has the rules.
package jsonstream
