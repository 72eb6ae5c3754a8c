// Package story is shared by the stories of pdpp-host and of pdpp-local-collector: an
// owner's empty home, modules to put into it, a clock that a story moves, and common
// commands.
//
// A command that only one of them has is beside its stories.
package story
