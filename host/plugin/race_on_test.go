//go:build race

package plugin

// raceDetector says that this binary was built with the race detector, whose
// shadow memory is several times what a worker may otherwise hold.
const raceDetector = true
