// Package said finds the sentence that a service itself has about a failure, in the members in
// which APIs put it or in the text of a page, for the owner to read.
//
// In: an answer, which is hostile. Out: one line of at most 200 characters, without control
// characters and without what looks like a token. It is the service's text: Quoted marks it as
// such.
package said
