// Package client speaks the device protocol to a lane's host (collector contract, section
// 6): it enrolls a device, reads and commits state, and sends what waits in an outbox.
//
// A call goes in with a body of abi/device and comes out as the host's acknowledgement,
// compared with what was sent, or as a Failure that says what it means for that. The
// credential goes to the profile's host alone, and into no error (Invariant 5). When
// something is sent again is the delivery's to decide.
package client
