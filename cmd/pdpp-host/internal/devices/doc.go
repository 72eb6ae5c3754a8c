// Package devices has the commands of devices: machines that deliver what they collect.
// Each parses what was typed, calls an operation of host/owner, and shows the result.
package devices
