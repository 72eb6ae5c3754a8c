// Package posture says where the running program comes from: a release, a checkout, or
// nobody knows (LC-08). It reads the build's own facts, and knows no lane.
package posture
