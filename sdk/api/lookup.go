package api

import (
	"strconv"

	"github.com/pdpp-host/pdpp-host/sdk"
	"github.com/pdpp-host/pdpp-host/sdk/jsonvalue"
)

// LookUp asks the provider for the records that an enumeration has not met, by their keys:
// a list need not show everything that is there.
type LookUp struct {
	Path   func(key string) string // of the object
	Window int                     // requests in flight
	Most   int                     // objects that one run asks for
}

// Missing looks up the missing records behind the key after, and then those from the first
// one on, at most Most. each gets the answers in the order of keys, whatever their own, nil
// for a request that failed. It returns the key that was asked for last, for the next run,
// "" when nothing is missing, and how many missing records were not asked for. An error
// that ends the run is returned behind the answers that came before it; each is not called
// for what the error kept from being asked for. Without an error the records that were not asked for
// count as met, so that Whole deletes none of them, and the next run asks for them.
func (l LookUp) Missing(c *Client, list *sdk.Enumeration, after string, each func(key string, resp *sdk.Response) error) (last string, left int, err error) {
	var keys, before []string
	err = list.Missing(func(key string) error {
		if key > after {
			keys = append(keys, key)
		} else {
			before = append(before, key)
		}
		return nil
	})
	keys = append(keys, before...)
	if left = len(keys); err != nil || left == 0 {
		return "", 0, err
	}
	most := min(left, l.Most)
	keys, later := keys[:most], keys[most:]
	last = after
	answers, failed := l.ask(c, keys)
	for i, key := range keys {
		if failed != nil && answers[key] == nil { // it was not asked for
			return last, left - i, failed
		}
		if err := each(key, answers[key]); err != nil {
			return after, left, err
		}
		last = key
	}
	if failed == nil {
		stay := make([][]string, len(later))
		for i, key := range later {
			stay[i] = []string{key}
		}
		failed = list.Met(stay...)
	}
	return last, len(later), failed
}

// ask returns the answers by key. One that is missing failed, or was not asked for because
// of the error.
func (l LookUp) ask(c *Client, keys []string) (map[string]*sdk.Response, error) {
	answers, byURL := make(map[string]*sdk.Response, len(keys)), make(map[string]string, len(keys))
	asked := 0
	err := c.FetchMany(l.Window, func() (sdk.Request, bool) {
		if asked == len(keys) {
			return sdk.Request{}, false
		}
		r := c.Get(l.Path(keys[asked]))
		byURL[r.URL] = keys[asked]
		asked++
		return r, true
	}, func(r sdk.Request, resp *sdk.Response, err error) error {
		if err != nil && EndsRun(err) {
			return err
		}
		answers[byURL[r.URL]] = resp
		return nil
	})
	return answers, err
}

// maxID is the longest id that PlainID takes.
const maxID = 40

// PlainID reports whether an id of the provider is safe in a path and short: letters, digits,
// hyphens and underscores.
func PlainID(id string) bool { return Plain(id, maxID) }

// Plain is PlainID for ids that may be longer.
func Plain(id string, most int) bool {
	for i := range len(id) {
		c := id[i]
		if (c < '0' || c > '9') && (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && c != '-' && c != '_' {
			return false
		}
	}
	return id != "" && len(id) <= most
}

// NumberID returns an id that is a whole number above zero as text, "" for any other value.
func NumberID(v jsonvalue.Value) string {
	if n, ok := v.IntOK(); ok && n > 0 {
		return strconv.FormatInt(n, 10)
	}
	return ""
}
