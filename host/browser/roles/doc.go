// Package roles decides where the pages of one run may go, by what the connector's manifest
// declares, and which of their requests wait for the run's governor: those to the provider,
// each once (BR-07, BR-08).
//
// It stands at both walls: at the gate as its Admitter, and in front of the Dialer of the wall.
package roles
