package collector

import (
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pdpp-host/pdpp-host/abi/device"
	"github.com/pdpp-host/pdpp-host/storage"
)

// An artifact that the host has no room for is given up after a few attempts and not
// tried again by itself, what is no artifact is delivered all the same, and doctor
// says what to do about it.
func TestArtifactsWithoutRoomAreGivenUp(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		w.host.manifest = []byte("{}")
		s := w.open()
		w.ok(s.EnqueueBlob(t.Context(), "text/plain", []byte("an artifact")))
		w.ok(s.Close())
		w.enqueue(1)
		w.host.fail(func(r *http.Request, _ []byte) (*answer, error) {
			if strings.Contains(r.URL.Path, "/blobs/") {
				return &answer{status: 413, body: `{"error":{"code":"device_blob_quota_exceeded","message":"no room"}}`}, nil
			}
			return nil, nil
		})
		for range 9 {
			w.over(func(e *execution) { w.ok(e.deliverFirst(t.Context())) })
			time.Sleep(time.Hour)
		}
		c := w.counts()
		w.same([]any{c.DeadLetter, c.LifecycleState, c.DeadLetterClasses}, []any{1, storage.LaneDeadLetter, []device.ErrorClass{{Count: 1, Class: "http_413:" + device.CodeBlobQuota}}}, "given up")
		w.same(len(w.host.keys("notes")), 1, "records at the host")
		n := 0
		for _, call := range w.host.calls {
			if strings.HasPrefix(call, "PUT ") {
				n++
			}
		}
		w.same(n, w.collector().policy.MaxAttempts, "attempts")
		d, err := w.collector().Doctor(t.Context())
		w.ok(err)
		said := ""
		for _, check := range d.Checks {
			if check.Name == "delivery" {
				said = check.Level + " " + check.Text + " " + check.Remedy
			}
		}
		for _, part := range []string{LevelCritical, device.CodeBlobQuota, "artifacts", "connection", "recover"} {
			if !strings.Contains(said, part) {
				t.Errorf("doctor says %q, without %q", said, part)
			}
		}
	})
}
