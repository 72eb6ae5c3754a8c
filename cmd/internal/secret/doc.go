// Package secret reads one secret from who runs a command: from a terminal without
// showing it, or from standard input. It never comes from an argument, and no error
// holds any of it. It also writes one into a file that its owner alone can read.
package secret
