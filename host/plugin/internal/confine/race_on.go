//go:build race

package confine

// raceDetector reports that this binary was built with the race detector, whose shadow
// memory counts as private.
const raceDetector = true
