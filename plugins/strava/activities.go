package main

import (
	"strconv"

	"github.com/pdpp-host/pdpp-host/sdk"
	"github.com/pdpp-host/pdpp-host/sdk/api"
	"github.com/pdpp-host/pdpp-host/sdk/cursor"
	"github.com/pdpp-host/pdpp-host/sdk/jsonvalue"
	"github.com/pdpp-host/pdpp-host/sdk/problems"
)

const streamActivities = "activities"

// cursorVersion is the version of place.
const cursorVersion = 1

// place is where the list was broken off. The zero place begins it.
type place struct {
	begunBy string // of the enumeration
	page    string
}

// Members implements cursor.Value.
func (p *place) Members(m *cursor.Members) {
	m.Text("begun_by", &p.begunBy)
	m.Text("page", &p.page)
}

var unreadable = &problems.Kind{
	Reason: "strava_item_unreadable", Many: "activities of the list have no id", One: "activity of the list has no id", Hint: "retry_on_connector_upgrade",
}

// pager reads the list. A page with fewer rows than asked for need not be the last one.
var pager = api.PageNumber("/api/v3/athlete/activities?per_page=200", "", "page", 1, 0)

func collectActivities(c *api.Client) error {
	var at place
	cursor.Read(c.Cursor(streamActivities), cursorVersion, &at)
	list, err := c.Enumerate(streamActivities, "", at.begunBy)
	if err != nil {
		return err
	}
	at.begunBy = list.BegunBy()
	saver := cursor.Saver{Host: c.Host, Stream: streamActivities, Version: cursorVersion, Whose: c.Account, Value: &at}
	tally := problems.New(c.Host, streamActivities, unreadable)
	_, _, err = api.Settle(list, func() (api.Pass, error) {
		var pass api.Pass
		pages := c.Pages(pager, at.page)
		for pages.Next() {
			pass.Page(-1) // the API does not say how long the list is
			for it := pages.Page().Items.Children(); it.Next(); {
				key, err := emitActivity(c.Record(streamActivities), it.Value())
				if err != nil {
					return pass, err
				}
				if pass.Row(key); key == "" {
					tally.Note(unreadable, "")
				}
			}
			if at.page = pages.Page().Next; at.page == "" {
				break // a run that stopped here would have its next one begin the list again
			}
			if err := saver.Page("activities " + strconv.FormatInt(pass.Rows(), 10)); err != nil {
				return pass, err
			}
			if err := c.Step("listing activities", pass.Rows()); err != nil {
				return pass, err
			}
		}
		return pass, pages.Err()
	})
	if err == nil {
		at = place{}
		err = saver.Save("the list of activities")
	}
	if e := tally.Report(); e != nil {
		return e
	}
	return err
}

// fields are the record's fields behind its id, and the members of the answer.
var fields = []struct{ field, member string }{
	{"name", "name"},
	{"type", "type"},
	{"sport_type", "sport_type"},
	{"start_date", "start_date"},
	{"start_date_local", "start_date_local"},
	{"timezone", "timezone"},
	{"distance_m", "distance"},
	{"moving_time_s", "moving_time"},
	{"elapsed_time_s", "elapsed_time"},
	{"total_elevation_gain_m", "total_elevation_gain"},
	{"average_speed_mps", "average_speed"},
	{"max_speed_mps", "max_speed"},
	{"average_heartrate", "average_heartrate"},
	{"max_heartrate", "max_heartrate"},
	{"kudos_count", "kudos_count"},
	{"comment_count", "comment_count"},
	{"achievement_count", "achievement_count"},
	{"start_latlng", "start_latlng"},
	{"end_latlng", "end_latlng"},
}

// emitActivity emits an activity and returns its key, "" without an id.
func emitActivity(r *sdk.Record, v jsonvalue.Value) (string, error) {
	id := api.NumberID(v.Get("id"))
	if id == "" {
		return "", nil
	}
	r.String("id", id)
	for _, f := range fields {
		r.Copy(f.field, v.Get(f.member))
	}
	r.Copy("map_polyline", v.Get("map").Get("summary_polyline"))
	return id, r.Emit()
}
