// Package view turns verdicts into what a surface shows: the row of a list, the
// summary of a fleet, the one indicator of a runtime's fault, the lines of the
// inspection layer, and the panels and cues of an owner's console.
//
// What lives here: which of a verdict's fields a surface shows, when, and in
// which words. What does not: the verdict itself, which package verdict makes;
// and colour, layout and markup, which are the surface's. A surface reads no
// axis, state or condition: what it needs of them is a field here.
//
// A verdict goes in, plain values go out. Every function is pure.
package view
