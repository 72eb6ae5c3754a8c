package owner

import "github.com/pdpp-host/pdpp-host/health/stored"

// NewOwner is newOwner, for the tests of all rooms together.
var NewOwner = newOwner

// Attended is attended.
func (o *Owner) Attended(r *stored.Run) bool { return o.attended(r) }
