package main

import (
	"slices"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/sdk"
)

// settle lists the events of a calendar again that has not changed: of those that it lost, the host
// may have asked its owner.
func (r *run) settle(id string, v *survey, old *fileState) error {
	part, err := r.part(id, old, false)
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
	v.unmet, err = r.bury(part, old, v.entries)
	return err
}

// bury deletes the events of a calendar that its file does not have any more, and closes the
// enumeration, if there is one. Few events are deleted by their ids, which the cursor has. Those that
// an enumeration has not met are left to the host, which asks about many: unmet counts them. An event
// that is there and was not met, such as one that the host rejected, stays as it is.
func (r *run) bury(part *sdk.Enumeration, old *fileState, now map[eventID]entry) (unmet int64, err error) {
	fresh := r.h.Mode() == abi.ModeFullRefresh // the store may have events that no cursor names
	if old == nil && !fresh {                  // of a new file, nothing is stored
		return 0, part.Whole()
	}
	gone, live := old.keys(), make(map[string]bool, len(now))
	for id, en := range now {
		key := id.String()
		if live[key] = en.fingerprint != 0; !live[key] && fresh {
			gone = append(gone, key)
		}
	}
	slices.Sort(gone)
	for _, key := range slices.Compact(gone) {
		if live[key] {
			continue
		}
		if err := r.h.Delete(streamEvents, key); err != nil {
			return 0, err
		}
	}
	err = part.Missing(func(key string) error {
		if live[key] {
			return part.Met([]string{key})
		}
		unmet++
		return nil
	})
	if err != nil {
		return 0, err
	}
	return unmet, part.Whole()
}
