package main

import (
	"github.com/pdpp-host/pdpp-host/sdk"
	"github.com/pdpp-host/pdpp-host/sdk/api"
	"github.com/pdpp-host/pdpp-host/sdk/jsonvalue"
)

// The parameters of every list: in the order in which items came, so that a new one does not
// move the others. A page has pageSize rows unless it is the last.
const (
	inOrder  = "&Recursive=true&SortBy=DateCreated&SortOrder=Ascending&Limit=500"
	pageSize = 500
)

// rows and total are where an answer has its rows and their number.
const (
	rows  = "Items"
	total = "TotalRecordCount"
)

func libraries(user string) api.List {
	return api.List{
		Name: "libraries", Pager: api.OnePage("/UserViews?userId="+user, rows), Total: total,
		Row: func(r *sdk.Record, v jsonvalue.Value) {
			r.Copy("id", v.Get("Id"))
			r.Copy("name", v.Get("Name"))
			r.Copy("collection_type", v.Get("CollectionType"))
		},
	}
}

func playlists(user string) api.List {
	return api.List{
		Name: "playlists", Pager: api.Offset("/Items?userId="+user+"&IncludeItemTypes=Playlist&Fields=ChildCount"+inOrder, rows, "StartIndex", pageSize), Total: total,
		Row: func(r *sdk.Record, v jsonvalue.Value) {
			r.Copy("id", v.Get("Id"))
			r.Copy("name", v.Get("Name"))
			r.Copy("media_type", v.Get("MediaType"))
			r.Copy("item_count", v.Get("ChildCount"))
		},
	}
}
