//go:build race

package plugin

// raceDetector reports that this binary was built with the race detector, whose shadow
// memory is several times a worker's usual limit.
const raceDetector = true
