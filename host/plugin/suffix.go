package plugin

import (
	"golang.org/x/net/publicsuffix"

	"github.com/pdpp-host/pdpp-host/abi"
)

// CheckHosts refuses a module whose pages would reach every host below a public suffix, such as
// co.uk or github.io: anybody can have a host there (BR-08). The error is an *abi.Error manifest.invalid.
func CheckHosts(m *abi.Manifest) error {
	if m.Requirements.Browser == nil {
		return nil
	}
	for _, h := range m.Requirements.Browser.Hosts {
		if h.Suffix == "" {
			continue
		}
		if isPublic(h.Suffix) || isPublic("any."+h.Suffix) { // of some suffixes each name below is one, as of kawasaki.jp
			return abi.NewError(abi.CodeManifestInvalid, "the suffix "+h.Suffix+" is a public one: anybody can have a host below it", "name the hosts, or a suffix of one owner's, as in cdn.example.org").
				WithDetail("runtime_requirements.browser.hosts")
		}
	}
	return nil
}

func isPublic(name string) bool {
	public, _ := publicsuffix.PublicSuffix(name)
	return public == name
}
