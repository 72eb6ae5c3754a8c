package run

import (
	"fmt"
	"maps"

	"github.com/pdpp-host/pdpp-host/abi"
)

// sameRoots refuses a root that would make everything collected from it look
// vanished: another folder than the connection has read before, or the same one
// with nothing in it, as a disk that is not mounted leaves behind.
func sameRoots(connection string, before map[string]string, roots []ResolvedRoot) error {
	for _, root := range roots {
		was, known := before[root.Name]
		switch {
		case known && was != root.Path:
			return abi.NewError(abi.CodeRootChanged,
				fmt.Sprintf("connection %q has read another folder for root %q before", connection, root.Name),
				"collect another folder under a connection of its own: --connection NAME; if the folder has moved: --accept-root").
				WithDetail(fmt.Sprintf("%s, from %s; before it was %s", root.Path, root.Origin, was))
		case known && root.Empty:
			return abi.NewError(abi.CodeRootEmptied,
				fmt.Sprintf("the folder for root %q is empty, and was not when connection %q read it", root.Name, connection),
				"mount or restore it; if it is meant to be empty now, so that what it held counts as deleted: --accept-root").
				WithDetail(root.Path + ", from " + root.Origin)
		}
	}
	return nil
}

// readRoots is what the connection has read once a run has these roots. An
// empty folder is not held against a later run.
func readRoots(before map[string]string, roots []ResolvedRoot) map[string]string {
	read := maps.Clone(before)
	if read == nil {
		read = map[string]string{}
	}
	for _, root := range roots {
		if root.Empty {
			delete(read, root.Name)
		} else {
			read[root.Name] = root.Path
		}
	}
	return read
}
