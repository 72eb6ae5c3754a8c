package overview

import (
	"slices"

	"github.com/pdpp-host/pdpp-host/health/view"
	"github.com/pdpp-host/pdpp-host/host/console/ui"
	"github.com/pdpp-host/pdpp-host/host/console/words"
)

// headline answers whether the owner has to do anything. It counts what stands below it, and
// what is left for the next page: a number that the cards contradict answers nothing.
func (n *needs) headline() string {
	if n.fleet.Fleet.Registered == 0 {
		return words.NothingYet
	}
	things := int64(len(n.asked)) + n.unnamed()
	for i := range n.needing {
		things += int64(len(n.steps(&n.needing[i].Item)))
	}
	return words.Things(things)
}

// steps are the actions of a connection that have a card of their own.
func (n *needs) steps(c *view.Item) []view.Action {
	return slices.DeleteFunc(slices.Clone(c.Verdict.RequiredActions), func(a view.Action) bool { return ui.Answers(&a) && n.asks(c.Name) })
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
