package records

import (
	"encoding/json"
	"flag"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"testing"
	"time"
)

var benchConnections = flag.Int("connections", 10_000, "how many connections the benchmark of their pages has")

// BenchmarkPagesOfConnections answers with the first page of each list that tells about connections.
func BenchmarkPagesOfConnections(b *testing.B) {
	d := newBed(b)
	for i := range *benchConnections {
		name := fmt.Sprintf("connection-%05d", i)
		c, err := d.store.EnsureConnection(b.Context(), name, "demo")
		d.ok(err)
		d.ids[name] = c.ID
		d.ok(d.store.PinPlugin(b.Context(), c.ID, "aa", []byte(manifest)))
		d.put(name, "notes", "1", `{"id":"1","title":"x"}`)
	}
	for _, path := range []string{"/v1/connections", "/v1/streams", "/v1/connectors"} {
		b.Run(path[len("/v1/"):], func(b *testing.B) {
			ask := func() int {
				r := httptest.NewRequestWithContext(b.Context(), http.MethodGet, "http://"+at+path, nil)
				r.Header.Set("Authorization", "Bearer "+d.owner)
				w := httptest.NewRecorder()
				d.server.ServeHTTP(w, r) // not held against the document, which takes longer
				if w.Code != http.StatusOK || !json.Valid(w.Body.Bytes()) {
					b.Fatal(w.Code)
				}
				return w.Body.Len()
			}
			bytes := ask() // warm
			var took []time.Duration
			for b.Loop() {
				begin := time.Now()
				ask()
				took = append(took, time.Since(begin))
			}
			slices.Sort(took)
			b.ReportMetric(float64(took[len(took)/2].Microseconds())/1000, "p50-ms")
			b.ReportMetric(float64(took[len(took)*99/100].Microseconds())/1000, "p99-ms")
			b.ReportMetric(float64(bytes)/1000, "kB")
		})
	}
}
