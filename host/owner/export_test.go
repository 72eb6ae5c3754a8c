package owner

import (
	"maps"
	"slices"

	"github.com/pdpp-host/pdpp-host/health/stored"
)

// NewOwner is newOwner, for the tests of all rooms together.
var NewOwner = newOwner

// Attended is attended.
func (o *Owner) Attended(r *stored.Run) bool { return o.attended(r) }

// Lasting are the operations that make what outlasts a session.
func Lasting() []string { return slices.Sorted(maps.Keys(lasting)) }
