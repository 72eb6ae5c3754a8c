// Package syntax is what the commands of every binary share about being typed:
// the arguments they take, NAME=VALUE flags, and what is said of a slip, with
// the nearest word. It knows no command by name.
package syntax
