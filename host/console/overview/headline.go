package overview

import (
	"github.com/pdpp-host/pdpp-host/host/console/words"
)

// headline answers whether the owner has to do anything: what waits for an answer counts as
// what a verdict asks for.
func (n *needs) headline() string {
	if n.fleet.Fleet.Registered == 0 {
		return words.NothingYet
	}
	things := n.fleet.Fleet.NeedsOwner
	for i := range n.asked {
		if !n.names(n.asked[i].Connection) {
			things++
		}
	}
	return words.Things(things)
}

// names reports whether a connection is among the things to do by its verdict.
func (n *needs) names(connection string) bool {
	for i := range n.needing {
		if n.needing[i].Name == connection {
			return true
		}
	}
	return false
}

// asks reports whether a connection's question stands among the things to do. The verdict's
// action of answering is then the same thing.
func (n *needs) asks(connection string) bool {
	for i := range n.asked {
		if n.asked[i].Connection == connection {
			return true
		}
	}
	return false
}

// unnamed is how many things to do the page does not name.
func (n *needs) unnamed() int64 { return max(0, n.fleet.Fleet.NeedsOwner-int64(len(n.needing))) }
