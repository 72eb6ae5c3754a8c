package browser

import (
	"slices"
	"sync"
	"testing"

	"github.com/pdpp-host/pdpp-host/abi"
)

// A recording is told of each cookie before an answer which may have it, be
// that an error (BR-18.2, Invariant 5).
func TestHide(t *testing.T) {
	t.Parallel()
	shop := newSite(t, map[string]string{"/": "<title>shop</title>"})
	b := bind(t, shop, nil)
	var lock sync.Mutex
	var hidden []string
	b.request.Hide = func(name, value string) {
		lock.Lock()
		defer lock.Unlock()
		hidden = append(hidden, name+"="+value)
	}
	b.does(`{"do":"open","url":"https://shop.example/"}`)
	b.fails(`{"do":"eval","fn":"() => { document.cookie = 'csrf=of-sixteen-bytes; secure'; document.cookie = 'lang=en; secure'; throw new Error(document.cookie) }"}`, abi.CodeBrowserScript)
	lock.Lock()
	defer lock.Unlock()
	if slices.Sort(hidden); !slices.Equal(hidden, []string{"csrf=of-sixteen-bytes", "lang=en"}) {
		t.Errorf("got %q told of, want both cookies", hidden)
	}
}
