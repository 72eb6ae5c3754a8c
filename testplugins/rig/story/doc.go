// Package story is what the stories of pdpp-host and of pdpp-local-collector
// share: an owner's empty home, modules to put into it, a clock that a story
// moves, and the words that both tell their stories with.
//
// A word that only one of them has lives beside its stories.
package story
