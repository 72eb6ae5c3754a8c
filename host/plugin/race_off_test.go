//go:build !race

package plugin

// raceDetector reports that this binary was built without the race detector.
const raceDetector = false
