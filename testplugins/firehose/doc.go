// Package firehose makes the records of the throughput benchmark: about 500 bytes, 12
// properties, the same for the guest that emits them and for the bare loop that it is
// compared with. It imports nothing, so a guest can link it.
package firehose
