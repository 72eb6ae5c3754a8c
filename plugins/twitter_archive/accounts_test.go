package main

import (
	"io/fs"
	"reflect"
	"testing"
	"testing/fstest"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/sdk/sdktest"
)

// AC-04: each post and each message is a record, or is counted with what became of it.
func TestItemsAddUp(t *testing.T) {
	t.Parallel()
	f := folder{}
	f.put(t, "x.zip", account{id: "1", generated: "2023-01-01T00:00:00.000Z", tweets: []string{
		"1", "2", `{"tweet":{"id_str":"3","full_text":"no time"}}`, `{"tweet":{"full_text":"no id","created_at":"Wed Nov 09 12:34:56 +0000 2022"}}`,
		`{"tweet":{"id_str":"5","full_text":"cut","truncated":true,"created_at":"Wed Nov 09 12:34:56 +0000 2022"}}`,
	}})
	res := sdktest.Collect(t, connector{}, sdktest.Options{Roots: map[string]fs.FS{"twitter_archive": fstest.MapFS(f)}})
	for _, want := range []abi.StreamAccount{
		{Stream: streamTweets, Met: 5, Emitted: 3, KeptBack: 2}, {Stream: streamMessages, Met: 3, Emitted: 2, NotRecord: 1},
	} {
		if got := res.Items(want.Stream); !reflect.DeepEqual(got, want) {
			t.Errorf("got %+v, want %+v", got, want)
		}
	}
}
