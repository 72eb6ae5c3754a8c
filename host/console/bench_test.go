package console_test

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"net/http"
	"slices"
	"testing"
	"time"
)

// BenchmarkOverview answers with the overview of 10,000 connections (OC-14), and says how
// large the page is that a browser gets.
func BenchmarkOverview(b *testing.B) {
	d := newBed(b)
	for i := range 10_000 {
		if _, err := d.Store.EnsureConnection(b.Context(), fmt.Sprintf("connection-%05d", i), "scripted"); err != nil {
			b.Fatal(err)
		}
	}
	var took []time.Duration
	var body string
	for b.Loop() {
		begin := time.Now()
		a := d.ask(http.MethodGet, "/", nil, nil)
		took = append(took, time.Since(begin))
		if body = a.body; a.status != http.StatusOK {
			b.Fatal(a.status)
		}
	}
	slices.Sort(took)
	b.ReportMetric(float64(took[len(took)*99/100].Microseconds())/1000, "p99-ms")
	var zipped bytes.Buffer
	w := gzip.NewWriter(&zipped)
	_, _ = w.Write([]byte(body))
	_ = w.Close()
	b.ReportMetric(float64(zipped.Len()), "page-bytes")
}
