//go:build !race

package confine

// raceDetector reports that this binary was built without the race detector.
const raceDetector = false
