package tables

import "encoding/json"

// members are those of diagnostics that list what a gap is about.
var members = []string{"files", "folders", "paths", "examples"}

// NamedIn lists what the diagnostics of a gap name, and how many of it there are in all, named or
// not. Diagnostics are a guest's: what has another shape is passed over.
func NamedIn(diagnostics []byte) (names []string, total int64) {
	var all map[string]json.RawMessage
	if json.Unmarshal(diagnostics, &all) != nil {
		return nil, 0
	}
	for _, member := range members {
		var list []string
		if json.Unmarshal(all[member], &list) == nil {
			names = append(names, list...)
		}
	}
	total = int64(len(names))
	counted := all["places"] // several of what is counted may be in one
	if counted == nil {
		counted = all["count"]
	}
	var count int64
	if total > 0 && json.Unmarshal(counted, &count) == nil {
		total = max(total, count)
	}
	return names, total
}
