// Package documented holds the commands that README.md and the pages of docs show
// to the commands that a program has: their names and their flags.
//
// In: the pages of this tree, and a program's tree of commands. Out: a failure of the
// test for each command or flag that is shown and does not exist. It runs no command.
package documented
