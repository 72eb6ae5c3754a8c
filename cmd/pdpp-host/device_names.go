package main

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/cmd/internal/output"
	"github.com/pdpp-host/pdpp-host/storage"
)

// shortID is how much of an id names a device that has no other name.
const shortID = 12

// deviceName is what a device is called: what it calls itself, else what is
// collected there, else the start of its id.
func deviceName(label, id string, bindings ...string) string {
	if label = strings.TrimSpace(output.Clean(label)); label != "" {
		return label
	}
	if name := strings.TrimSpace(output.Clean(strings.Join(bindings, ", "))); name != "" {
		return name
	}
	return output.Cut(id, shortID)
}

// findDevice finds a device by its id, its name, or the connection that it feeds.
// One that may deliver goes before those that were revoked.
func findDevice(ctx context.Context, store *storage.Store, typed string) (*deviceRow, error) {
	all, err := deviceRows(ctx, store)
	if err != nil {
		return nil, err
	}
	for i := range all {
		if all[i].ID == typed {
			return &all[i], nil
		}
	}
	for _, matches := range []func(*deviceRow) bool{
		func(v *deviceRow) bool { return v.RevokedAt == nil && v.name() == typed },
		func(v *deviceRow) bool { return v.RevokedAt == nil && slices.Contains(v.Connections, typed) },
		func(v *deviceRow) bool { return v.name() == typed || slices.Contains(v.Connections, typed) },
	} {
		var found []*deviceRow
		for i := range all {
			if matches(&all[i]) {
				found = append(found, &all[i])
			}
		}
		switch {
		case len(found) == 1:
			return found[0], nil
		case len(found) > 1:
			return nil, manyDevices(typed, found)
		}
	}
	return nil, noDevice(typed, all)
}

func manyDevices(typed string, found []*deviceRow) error {
	var which []string
	for _, v := range found {
		which = append(which, fmt.Sprintf("%s (%s, %s)", v.ID, v.name(), v.state()))
	}
	return abi.NewError(codeDeviceUnknown, fmt.Sprintf("%q is %d devices", typed, len(found)), "name one by its id: "+strings.Join(which, ", "))
}

func noDevice(typed string, all []deviceRow) error {
	var known []string
	ids := map[string]string{}
	for i := range all {
		for _, name := range append([]string{all[i].ID, all[i].name()}, all[i].Connections...) {
			known, ids[name] = append(known, name), all[i].ID
		}
	}
	hint := "pdpp-host devices list shows them"
	if n := abi.Nearest(typed, known); n != "" {
		hint = fmt.Sprintf("did you mean %q, which is %s? %s", n, ids[n], hint)
	}
	return abi.NewError(codeDeviceUnknown, fmt.Sprintf("there is no device %q", typed), hint)
}
