//go:build wasip1

// Command firehose is the guest of the throughput benchmark: it emits as many
// prebuilt records as the option "records" says, as fast as the host takes
// them, so that what is measured is everything behind the guest.
package main
