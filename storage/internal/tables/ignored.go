package tables

import (
	"encoding/json"
	"slices"
)

// Ignored is an owner's word on files of a connection's folders. Without reasons it is a rule: what its
// pattern covers is not for the connection. With reasons it is about one file, whose path the pattern
// has behind a slash, as that file was: it says nothing of what else is amiss with a file of that name.
type Ignored struct {
	Pattern string
	// For are the reasons that the file had, sorted; "" means that nothing explained it.
	For []string
}

type ignoredFile struct {
	Pattern string   `json:"pattern"`
	For     []string `json:"for"`
}

// MarshalJSON writes a rule as its pattern alone, as stores had them before there were reasons.
func (i Ignored) MarshalJSON() ([]byte, error) {
	if len(i.For) == 0 {
		return json.Marshal(i.Pattern)
	}
	return json.Marshal(ignoredFile(i))
}

// UnmarshalJSON reads what MarshalJSON writes.
func (i *Ignored) UnmarshalJSON(data []byte) error {
	if json.Unmarshal(data, &i.Pattern) == nil {
		i.For = nil
		return nil
	}
	return json.Unmarshal(data, (*ignoredFile)(i))
}

// Without returns the owner's words without reasons that files have no longer. The word on a file ends
// with its last reason.
func Without(ignores, over []Ignored) (left []Ignored) {
	for _, i := range ignores {
		for _, o := range over {
			if o.Pattern == i.Pattern && len(i.For) > 0 {
				i.For = slices.DeleteFunc(slices.Clone(i.For), func(reason string) bool { return slices.Contains(o.For, reason) })
				if len(i.For) == 0 {
					i.Pattern = ""
				}
			}
		}
		if i.Pattern != "" {
			left = append(left, i)
		}
	}
	return left
}
