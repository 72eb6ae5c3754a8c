// Package tutorial holds docs/tutorial.md to the truth: its test takes the files and the
// commands out of the page, runs them in a shell against the built host, and compares what
// they print with what the page shows.
//
// A fence that begins with "```LANGUAGE file" is a file, whose name begins the paragraph
// before it; "```sh run" holds commands, and a "```text" behind it lines of their output, in
// their order, where "…" stands for anything. Other fences are only shown.
package tutorial
