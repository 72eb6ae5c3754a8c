// Package view turns verdicts into the contents of a surface: the row of a list, the
// summary of a fleet, the one indicator of a runtime's fault, the lines of the
// inspection layer, and the panels and cues of an owner's console.
//
// It decides which of a verdict's fields a surface shows, when, and in which words.
// Package verdict makes the verdict itself; colour, layout and markup belong to the
// surface. A surface reads no axis, state or condition: the needed parts of them are
// fields here.
//
// A verdict goes in, plain values go out. Every function is pure.
package view
