//go:build !race

package confine

// raceDetector says that this binary was built without the race detector.
const raceDetector = false
