package connectors

import (
	"github.com/pdpp-host/pdpp-host/host/console/words"
	"github.com/pdpp-host/pdpp-host/host/owner/modules"
)

// changed says in which way a module asks for something differently.
func changed(c modules.Change) string {
	switch {
	case c.From == "":
		return words.NowAsksFor
	case c.To == "":
		return words.NoLongerOffered
	}
	return words.AsksDifferently
}
