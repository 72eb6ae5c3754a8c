package evidence

import (
	"slices"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/abi/manifest"
)

// RequiredCredentials returns the fields, sorted, without which a connector cannot
// sign in.
func RequiredCredentials(m *abi.Manifest) []string {
	var names []string
	for _, c := range manifest.Credentials(m) {
		if c.Required {
			names = append(names, c.Name)
		}
	}
	slices.Sort(names)
	return names
}
