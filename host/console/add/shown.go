package add

import (
	"cmp"
	"strings"

	"github.com/pdpp-host/pdpp-host/host/owner"
	"github.com/pdpp-host/pdpp-host/host/owner/connectors"
)

func titleOf(c *connectors.Connector) string { return cmp.Or(c.Title, c.Name) }

func list(all []string) string { return strings.Join(all, ", ") }

func defaultOf(f connectors.Folder) string {
	if f.Default == "" {
		return ""
	}
	return "~/" + f.Default
}

// missing reports whether a credential that the connector needs has no value.
func missing(c *owner.Credentials) bool {
	for i := range c.Credentials {
		if k := &c.Credentials[i]; k.Required && k.Source == owner.FromNowhere {
			return true
		}
	}
	return false
}
