package sdk_test

import (
	"io"
	"net/http"
	"testing"

	"github.com/pdpp-host/pdpp-host/sdk"
	"github.com/pdpp-host/pdpp-host/sdk/sdktest"
)

// The error for an answer that is not JSON names its address and content type, and
// leaves out the query and the answer.
func TestNotJSON(t *testing.T) {
	t.Parallel()
	for kind, want := range map[string]string{
		"text/html": "an answer that is not JSON, from " + site + "/v1/items with content type text/html: a value was expected at byte 0",
		"":          "an answer that is not JSON, from " + site + "/v1/items with no content type: a value was expected at byte 0",
	} {
		fetching(t, sdktest.Options{Provider: serve(func(w http.ResponseWriter, _ *http.Request) {
			w.Header()["Content-Type"] = nil
			if kind != "" {
				w.Header().Set("Content-Type", kind)
			}
			_, _ = io.WriteString(w, "<html>private")
		})}, func(h *sdk.Host) error {
			resp, err := h.Fetch(sdk.Request{URL: site + "/v1/items?q=private#x"})
			if err != nil {
				return err
			}
			if _, err := resp.JSON(); err == nil || err.Error() != want {
				t.Errorf("got %v, want %s", err, want)
			}
			return nil
		})
	}
}
