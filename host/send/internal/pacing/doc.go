// Package pacing holds the arithmetic of a send lane: Pacer computes the wait before
// the next request, Meter and Throttles count accepted requests and refusals over a
// time, and Latency detects a provider that slows down.
//
// Every function receives the time as an argument; none of them waits, and none knows
// a request. The lane in host/send owns the values and guards them.
package pacing
