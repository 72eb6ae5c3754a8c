package overview

import (
	"strconv"

	"github.com/pdpp-host/pdpp-host/host/console/words"
	"github.com/pdpp-host/pdpp-host/host/owner"
)

// headline answers whether the owner has to do anything.
func headline(f *owner.Fleet) string {
	switch n := f.Fleet.NeedsOwner; {
	case f.Fleet.Registered == 0:
		return words.NothingYet
	case n == 0:
		return words.NothingNeeds
	case n == 1:
		return words.OneNeeds
	default:
		return strconv.FormatInt(n, 10) + " " + words.ThingsNeed
	}
}
