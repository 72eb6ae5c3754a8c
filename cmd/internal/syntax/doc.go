// Package syntax is what the commands of every binary share about being typed:
// the arguments they take, NAME=VALUE flags, what is said of a slip, with the
// nearest word, and how a command is written that somebody is to type. It knows
// no command by name.
package syntax
