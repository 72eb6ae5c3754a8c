package api

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"strings"
	"testing"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/abi/device"
	"github.com/pdpp-host/pdpp-host/storage"
)

// crowded is a store that has no room for artifacts.
type crowded struct{ Store }

func (crowded) PutBlob(context.Context, *storage.SourceInstance, string, string, []byte) error {
	return abi.NewError(device.CodeBlobQuota, "there is no room for this one", "send fewer")
}

// A source that has used up its room for artifacts is told so by a code of its own,
// which says that the same will be refused again.
func TestArtifactsAboveTheQuota(t *testing.T) {
	t.Parallel()
	l := ready(t)
	sum := sha256.Sum256([]byte("abc"))
	put := func() answered {
		return l.send(http.MethodPut, device.PathBlob(l.DeviceID, l.SourceInstanceID, hex.EncodeToString(sum[:])), "abc", func(r *http.Request) {
			r.Header.Set("Content-Type", "text/plain")
		})
	}
	l.must(http.StatusOK, put(), nil)
	l.host.API = hostOver(t, l.store, crowded{l.store}).API
	a := put()
	f := l.refuses(http.StatusRequestEntityTooLarge, device.CodeBlobQuota, a)
	if a.head.Get("Retry-After") != "" || f.Type != "invalid_request_error" || !strings.Contains(f.Message, "room") {
		t.Errorf("%+v %v", f, a.head)
	}
}
