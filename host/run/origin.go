package run

import (
	"fmt"
	"maps"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/abi/manifest"
)

// OptionBaseURL is the option that sends a connector to another address than
// its provider's. A connection keeps to the address that it began with: another
// one would look as if everything at the first had vanished, and would get the
// credentials of the first.
const OptionBaseURL = "base_url"

// OriginRoot is where a connection's ReadRoots hold that address; "" is the
// provider's own. No folder's root is called so.
const OriginRoot = ":base_url"

// keepOrigin completes the options with the connection's address when this run
// names none, and refuses another one that the owner has not accepted. told are the
// options that this run was told, and not the connection's own.
func keepOrigin(connection string, before, options, told map[string]string, accept bool) (map[string]string, error) {
	was, known := before[OriginRoot]
	now, given := options[OptionBaseURL]
	switch {
	case !known, given && now == was:
		return options, nil
	case !given:
		if was == "" {
			return options, nil
		}
		options = maps.Clone(options)
		if options == nil {
			options = map[string]string{}
		}
		options[OptionBaseURL] = was
		return options, nil
	case accept:
		return options, nil
	}
	hint := "leave base_url out; ask another address under a connection of its own: --connection NAME; if the service has moved: --accept-root"
	if _, typed := told[OptionBaseURL]; !typed {
		hint = "say which of the two is meant: pdpp-host connections set " + connection + " --set base_url=ADDRESS --accept-root"
	}
	return nil, abi.NewError(abi.CodeOriginChanged, fmt.Sprintf("connection %q has asked another address before", connection), hint).
		WithDetail(fmt.Sprintf("%s; before it was %s", address(now), address(was)))
}

func address(base string) string {
	if base == "" {
		return "the provider's own"
	}
	return base
}

// noSecretOption refuses an option by the name of a credential: options are kept
// as they are. The value is not repeated.
func noSecretOption(m *abi.Manifest, options map[string]string) error {
	for _, name := range SecretOptions(m, options) {
		return abi.NewError(abi.CodeUsage, fmt.Sprintf("%q is a credential of the connector, and no option", name),
			"store it encrypted: pdpp-host connections credential set CONNECTION "+name)
	}
	return nil
}

// SecretOptions returns the names of options that are the connector's
// credentials: by a field or by a variable, in small letters too, wherever the
// manifest names one as a secret.
func SecretOptions(m *abi.Manifest, options map[string]string) []string {
	known := manifest.SecretNames(m)
	var out []string
	for name := range options {
		if known[name] {
			out = append(out, name)
		}
	}
	return out
}
