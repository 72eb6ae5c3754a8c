package run

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/abi/manifest"
)

// checkOptions refuses an option that the connector does not have, or of another
// type, both of the options typed for this run and of those that the connection has
// kept since an earlier module had them: the connector would ignore what its owner
// meant.
func checkOptions(m *abi.Manifest, connection string, kept, typed map[string]string) error {
	if err := noSecretOption(m, merged(kept, typed)); err != nil {
		return err
	}
	if err := manifest.CheckOptions(m, typed); err != nil {
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(kept)) {
		if _, anew := typed[name]; anew {
			continue
		}
		if e, refused := errors.AsType[*abi.Error](manifest.CheckOptions(m, map[string]string{name: kept[name]})); refused {
			return abi.NewError(e.Code, e.Message+", and the connection keeps one", "set it anew, or forget it: pdpp-host connections set "+
				connection+" --unset "+name+"   a collector forgets it with: run --set "+name+"=").WithDetail(e.Hint)
		}
	}
	return nil
}

// noSecretOption refuses an option by the name of a credential: options are stored
// in plain text. The error does not repeat the value.
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
