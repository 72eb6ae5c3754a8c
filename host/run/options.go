package run

import (
	"errors"
	"maps"
	"slices"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/abi/manifest"
)

// checkOptions refuses an option that the connector does not have, or of another
// type: of those that the run was told, and of those that the connection keeps since
// an earlier module had them. The connector would go by something else than its owner
// meant.
func checkOptions(m *abi.Manifest, connection string, kept, told map[string]string) error {
	if err := noSecretOption(m, merged(kept, told)); err != nil {
		return err
	}
	if err := manifest.CheckOptions(m, told); err != nil {
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(kept)) {
		if _, anew := told[name]; anew {
			continue
		}
		if e, refused := errors.AsType[*abi.Error](manifest.CheckOptions(m, map[string]string{name: kept[name]})); refused {
			return abi.NewError(e.Code, e.Message+", and the connection keeps one", "set it anew, or forget it: pdpp-host connections set "+
				connection+" --unset "+name+"   a collector forgets it with: run --set "+name+"=").WithDetail(e.Hint)
		}
	}
	return nil
}
