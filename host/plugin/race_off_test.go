//go:build !race

package plugin

// raceDetector says that this binary was built without the race detector.
const raceDetector = false
