package main

import (
	"slices"

	"github.com/pdpp-host/pdpp-host/sdk"
	"github.com/pdpp-host/pdpp-host/sdk/api"
	"github.com/pdpp-host/pdpp-host/sdk/jsonvalue"
	"github.com/pdpp-host/pdpp-host/sdk/problems"
)

var (
	unreadable = &problems.Kind{
		Reason: "jellyfin_item_unreadable", Hint: "retry_on_connector_upgrade", Many: "items have no id", One: "item has no id",
	}
	unstable = &problems.Kind{
		Reason: "jellyfin_list_unstable", Hint: "retry_by_runtime",
		Plain: "a library changed each time it was read, or is shorter than it says; the next run looks for what is gone",
	}
)

// again are the kinds of libraries that show the items of others.
var again = []string{"boxsets", "playlists", "livetv"}

// collectItems reads the items of every library, as one enumeration. Each reading asks for the
// libraries anew, so that one answer that lacks a library makes nothing gone.
func collectItems(c *api.Client, user string) error {
	list, err := c.Enumerate("items", "", "")
	if err != nil {
		return err
	}
	tally := problems.New(c.Host, "items", unreadable, unstable)
	noting := tally // nil behind the first reading: a further one meets the same rows
	how, _, err := api.Settle(list, func() (pass api.Pass, err error) {
		ids, err := itemLibraries(c, user)
		if err != nil {
			return pass, err
		}
		for i, id := range ids {
			if i > 0 {
				pass.List()
			}
			if err := readLibrary(c, &pass, noting, user, id); err != nil {
				return pass, err
			}
		}
		noting = nil
		return pass, nil
	})
	if err == nil && how == api.Unstable {
		tally.Note(unstable, "")
	}
	if err == nil {
		err = c.State("items", append(c.Account.AppendTo([]byte(`{"v":1`)), '}'))
	}
	if e := tally.Report(); e != nil {
		return e
	}
	return err
}

// itemLibraries asks for the ids of the libraries that show items of their own.
func itemLibraries(c *api.Client, user string) (ids []string, err error) {
	views, err := c.Ask(c.Get("/UserViews?userId=" + user))
	if err != nil {
		return nil, err
	}
	if views.Get(rows).Kind() != jsonvalue.Array {
		return nil, c.Malformed("the answer to the libraries has no array of rows")
	}
	for it := views.Get(rows).Children(); it.Next(); {
		id := it.Value().Get("Id").Str()
		switch {
		case slices.Contains(again, it.Value().Get("CollectionType").Str()):
		case !api.PlainID(id):
			return nil, c.Malformed("a library has no id") // its items would pass for gone
		default:
			ids = append(ids, id)
		}
	}
	return ids, nil
}

func readLibrary(c *api.Client, pass *api.Pass, tally *problems.Tally, user, library string) error {
	path := "/Items?userId=" + user + "&ParentId=" + library + "&Filters=IsNotFolder&Fields=Genres,ProviderIds&EnableImageTypes=Primary&ImageTypeLimit=1" + inOrder
	pages := c.Pages(api.Offset(path, rows, "StartIndex", pageSize).HasTotal(total), "")
	for pages.Next() {
		number, ok := pages.Page().Value.Get(total).IntOK()
		if !ok || number < 0 {
			return c.Malformed("a library does not say how many items it has")
		}
		pass.Page(number)
		for it := pages.Page().Items.Children(); it.Next(); {
			r := c.Record("items")
			r.Reset()
			item(r, it.Value(), library)
			key := r.Key()
			if pass.Row(key); key == "" {
				if r.Reset(); tally != nil {
					tally.Note(unreadable, "")
				}
				continue
			}
			if err := r.Emit(); err != nil {
				return err
			}
		}
		if err := c.Step("reading items", pass.Rows()); err != nil {
			return err
		}
	}
	return pages.Err()
}

// item sets the fields of an item.
func item(r *sdk.Record, v jsonvalue.Value, library string) {
	seen := v.Get("UserData")
	r.Copy("id", v.Get("Id"))
	r.Copy("name", v.Get("Name"))
	r.String("library_id", library)
	r.Copy("type", v.Get("Type"))
	r.Copy("series_name", v.Get("SeriesName"))
	r.Copy("played", seen.Get("Played"))
	r.Copy("play_count", seen.Get("PlayCount"))
	r.Copy("last_played_date", seen.Get("LastPlayedDate"))
	r.Copy("is_favorite", seen.Get("IsFavorite"))
	if genres := v.Get("Genres"); genres.Exists() {
		r.Copy("genres", genres)
	} else {
		r.Strings("genres", nil)
	}
	r.StringOrNull("release_date", day(v.Get("PremiereDate").Str()))
	r.StringOrNull("image_tag", v.Get("ImageTags").Get("Primary").Str())
	r.Copy("provider_ids", v.Get("ProviderIds"))
	r.Copy("production_year", v.Get("ProductionYear"))
}

// day is the date of a time, "" when it has none.
func day(at string) string {
	const form = "2006-01-02"
	if len(at) <= len(form) || at[len(form)] != 'T' {
		return ""
	}
	return at[:len(form)]
}
