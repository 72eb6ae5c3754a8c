package main

import (
	"slices"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/sdk"
)

// settle lists the events of a calendar again that has not changed: of those that it lost, the host
// may have asked its owner.
func (r *run) settle(id string, v *survey, old *fileState) error {
	part, err := r.h.Enumerate(streamEvents, id, "")
	if err != nil {
		return err
	}
	keys := make([][]string, 0, v.live)
	for event, en := range v.entries {
		if en.fingerprint != 0 {
			keys = append(keys, []string{event.String()})
		}
	}
	slices.SortFunc(keys, slices.Compare)
	if err := part.Met(keys...); err != nil {
		return err
	}
	return r.bury(part, v, old)
}

// bury closes the list of a calendar. The events that it has not met are left to the host, which asks
// about many: the survey counts them, and each run lists the calendar until the host has none of
// them. An event that is there and was not met, such as one that the host rejected, stays as it is.
func (r *run) bury(part *sdk.Enumeration, v *survey, old *fileState) error {
	v.listed = true
	if old == nil && r.h.Mode() != abi.ModeFullRefresh { // of a new file, nothing is stored
		return part.Whole()
	}
	live := make(map[string]bool, len(v.entries))
	strays := map[string]bool{}
	for _, key := range old.keys() {
		strays[key] = true
	}
	for id, en := range v.entries {
		key := id.String()
		if live[key] = en.fingerprint != 0; !live[key] && r.h.Mode() == abi.ModeFullRefresh {
			strays[key] = true // an earlier version may have stored it, and no cursor names it
		}
	}
	err := part.Missing(func(key string) error {
		if live[key] {
			return part.Met([]string{key})
		}
		v.unmet++
		delete(strays, key)
		return nil
	})
	if err != nil {
		return err
	}
	if err := r.adopt(part, v, strays, live); err != nil {
		return err
	}
	return part.Whole()
}

// adopt has a part hold the events that an earlier version has stored in none. Those that are gone are
// weighed by the host when the next run does not meet them.
func (r *run) adopt(part *sdk.Enumeration, v *survey, strays, live map[string]bool) error {
	keys := make([][]string, 0, len(strays))
	for key := range strays {
		if keys = append(keys, []string{key}); !live[key] {
			v.unmet++
		}
	}
	slices.SortFunc(keys, slices.Compare)
	return part.Met(keys...)
}
