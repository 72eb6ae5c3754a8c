package redditlist

import (
	"slices"

	"github.com/pdpp-host/pdpp-host/sdk"
	"github.com/pdpp-host/pdpp-host/sdk/api"
	"github.com/pdpp-host/pdpp-host/sdk/cursor"
	"github.com/pdpp-host/pdpp-host/sdk/jsonvalue"
)

// Door is where Reddit answers with its lists.
type Door struct {
	Who    string // the path that answers whose account it is
	Member string // of that answer, which has the account; "": the answer is the account
	Suffix string // of a list's path
}

// Table returns the lists of the account.
func (d Door) Table(h *sdk.Host) api.Table {
	user := "" // whose lists they are; the answer about the account has it
	table := api.Table{
		Who: d.Who,
		IDs: func(v jsonvalue.Value) []string {
			if d.Member != "" {
				v = v.Get(d.Member)
			}
			user = v.Get("name").Str()
			if id := v.Get("id").Str(); id != "" && api.PlainID(user) {
				return []string{id}
			}
			return nil
		},
	}
	for _, s := range byAge(h) {
		table.Streams = append(table.Streams, api.Stream{Name: s.name, Collect: func(c *api.Client) error {
			return collectList(c, s, "/user/"+user+"/"+s.name+d.Suffix)
		}})
	}
	return table
}

// byAge returns the streams, the one that was read to its end longest ago first.
func byAge(h *sdk.Host) []stream {
	ordered := slices.Clone(streams)
	slices.SortStableFunc(ordered, func(a, b stream) int {
		switch before, after := readMS(h, a), readMS(h, b); {
		case before < after:
			return -1
		case before > after:
			return 1
		default:
			return 0
		}
	})
	return ordered
}

func readMS(h *sdk.Host, s stream) int64 {
	var at place
	cursor.Read(h.Cursor(s.name), cursorVersion, &at)
	return at.readMS
}
