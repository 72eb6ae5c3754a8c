package main

import (
	"reflect"
	"testing"

	"github.com/pdpp-host/pdpp-host/abi"
)

// AC-04: each entry of a list is a record, or is counted with what became of it.
func TestItemsAddUp(t *testing.T) {
	t.Parallel()
	f := folder{}
	f.put(t, "a.zip", map[string]string{
		"Location History/Records.json": `{"locations":[{"timestampMs":"1388534400123","latitudeE7":-1,"longitudeE7":5},{"latitudeE7":1}]}`,
		"My Activity/Search/MyActivity.json": `[{"header":"Search","title":"Searched for x","titleUrl":"https://www.google.com/search?q=x","time":"2023-05-01T10:00:00.5Z"},
			{"header":"Maps","title":"Viewed a map","titleUrl":"https://www.google.com/maps","time":"2023-05-01T10:00:00.5Z"},
			{"header":"YouTube","title":"Watched The sea","titleUrl":"https://www.youtube.com/watch?v=abc","time":"2023-05-01T10:00:00.5Z"},
			{"header":"YouTube","title":"Watched another","titleUrl":"https://www.youtube.com/watch?v=abd","time":"soon"}]`,
		"YouTube/subscriptions/subscriptions.csv": "Channel Id,Channel Url,Channel Title\nUC1,http://a,A\n,http://b,B\n",
	})
	res := f.collect(t)
	for _, want := range []abi.StreamAccount{
		{Stream: streamLocations, Met: 2, Emitted: 1, KeptBack: 1},
		{Stream: streamSearches, Met: 2, Emitted: 1, NotRecord: 1},
		{Stream: streamWatched, Met: 2, Emitted: 1, KeptBack: 1},
		{Stream: streamSubscriptions, Met: 2, Emitted: 1, KeptBack: 1},
	} {
		if got := res.Items(want.Stream); !reflect.DeepEqual(got, want) {
			t.Errorf("got %+v, want %+v", got, want)
		}
	}
}
