//go:build race

package main

// raceEnabled says that the program under test is slowed down by the race
// detector.
const raceEnabled = true
