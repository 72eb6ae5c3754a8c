//go:build wasip1

// Command downloader is a connector that asks one address again and again: what
// the host call and the governor cost is measured with it. --set n= requests,
// --set window= of them in flight.
package main
