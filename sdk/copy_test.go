package sdk_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/sdk"
	"github.com/pdpp-host/pdpp-host/sdk/fingerprint"
	"github.com/pdpp-host/pdpp-host/sdk/jsonappend"
	"github.com/pdpp-host/pdpp-host/sdk/jsonvalue"
	"github.com/pdpp-host/pdpp-host/sdk/sdktest"
)

// tracks is a connector of one stream with a schema.
type tracks func(h *sdk.Host) error

func (tracks) Manifest() string {
	return `{"streams":[{"name":"tracks","primary_key":["id"],"semantics":"mutable_state","schema":{"type":"object","required":["id","name"],"properties":{
		"id":{"type":"string"},"name":{"type":"string"},"added_at":{"type":["string","null"],"format":"date-time"},"artist_names":{"type":["array","null"],"items":{"type":"string"}},
		"artist_ids":{"type":["array","null"],"items":{"type":["string","null"]}},"album":{"type":["string","null"]},"duration_ms":{"type":["integer","null"]},
		"explicit":{"type":["boolean","null"]},"isrc":{"type":["string","null"]},"uri":{"type":["string","null"]},"popularity":{"type":["integer","null"]}
	}}}]}`
}

func (c tracks) Collect(h *sdk.Host) error { return c(h) }

// copyTrack sets a track's fields as a connector does.
func copyTrack(r *sdk.Record, v jsonvalue.Value) {
	r.Copy("id", v.Get("id"))
	r.Copy("name", v.Get("name"))
	r.Copy("added_at", v.Get("added_at"))
	r.CopyEach("artist_names", v.Get("artists"), "name")
	r.CopyEach("artist_ids", v.Get("artists"), "id")
	r.Copy("album", v.Get("album").Get("name"))
	r.Copy("duration_ms", v.Get("duration_ms"))
	r.Copy("explicit", v.Get("explicit"))
	r.Copy("isrc", v.Get("external_ids").Get("isrc"))
	r.Copy("uri", v.Get("uri"))
	r.Copy("popularity", v.Get("popularity"))
}

const goodTrack = `{"id":"t1","name":"One \u00e9","added_at":"2026-01-02T03:04:05Z","artists":[{"name":"A","id":"a"},{"name":"B","id":null}],` +
	`"album":{"name":"Al"},"duration_ms":181000,"explicit":false,"external_ids":{"isrc":"X"},"uri":"u:t1","popularity":7}`

func copied(t *testing.T, texts ...string) *sdktest.Result {
	t.Helper()
	return sdktest.Collect(t, tracks(func(h *sdk.Host) error {
		r := h.Record("tracks")
		for _, text := range texts {
			v, err := jsonvalue.Parse([]byte(text))
			if err != nil {
				return err
			}
			copyTrack(r, v)
			if err := r.Emit(); err != nil {
				return err
			}
		}
		return nil
	}), sdktest.Options{Tolerate: true})
}

// A value of another type than the schema's is null, and reported once for each stream
// with the number of values and the names of the fields.
func TestCopyReportsDrift(t *testing.T) {
	t.Parallel()
	res := copied(t, goodTrack,
		strings.NewReplacer("181000", `"three minutes"`, `"id":"t1"`, `"id":"t2"`).Replace(goodTrack),
		strings.NewReplacer("181000", `1.5`, `"2026-01-02T03:04:05Z"`, `"yesterday"`, `{"name":"A","id":"a"}`, `{"name":[],"id":3}`, `"id":"t1"`, `"id":"t3"`).Replace(goodTrack),
	)
	want := []string{
		`{"id":"t1","name":"One é","added_at":"2026-01-02T03:04:05Z","artist_names":["A","B"],"artist_ids":["a",null],"album":"Al","duration_ms":181000,"explicit":false,"isrc":"X","uri":"u:t1","popularity":7}`,
		`{"id":"t2","name":"One é","added_at":"2026-01-02T03:04:05Z","artist_names":["A","B"],"artist_ids":["a",null],"album":"Al","duration_ms":null,"explicit":false,"isrc":"X","uri":"u:t1","popularity":7}`,
		`{"id":"t3","name":"One é","added_at":null,"artist_names":null,"artist_ids":null,"album":"Al","duration_ms":null,"explicit":false,"isrc":"X","uri":"u:t1","popularity":7}`,
	}
	if len(res.All) != len(want) {
		t.Fatalf("%d records, want %d; problems %v", len(res.All), len(want), res.Problems)
	}
	for i, rec := range res.All {
		if got := strings.ReplaceAll(string(rec.Data), `\u00e9`, "é"); got != want[i] {
			t.Errorf("record %d\n got %s\nwant %s", i, got, want[i])
		}
	}
	if len(res.Skips) != 1 || res.Skips[0].Stream != "tracks" || res.Skips[0].Reason != "field_type_changed" ||
		string(res.Skips[0].Diagnostics) != `{"count":5,"fields":["added_at","artist_names","artist_ids","duration_ms"]}` {
		t.Errorf("reported %+v, want 5 values of 4 fields in one report", res.Skips)
	}
}

// Nothing is reported for values that fit, for missing ones where null is allowed, and for
// records that were not emitted.
func TestCopyReportsOnlyWhatItReplaced(t *testing.T) {
	t.Parallel()
	res := sdktest.Collect(t, tracks(func(h *sdk.Host) error {
		r := h.Record("tracks")
		v, err := jsonvalue.Parse([]byte(`{"id":"t1","name":"x","duration_ms":"long"}`))
		if err != nil {
			return err
		}
		copyTrack(r, v)
		if r.Sum() != 0 {
			t.Errorf("the sum of a record that does not fit: got %d, want 0", r.Sum())
		}
		r.Reset()
		r.Copy("id", v.Get("id"))
		r.Copy("name", v.Get("name"))
		r.Copy("album", v.Get("none"))
		r.Copy("unheard_of", v.Get("duration_ms"))
		if got, want := r.Sum(), fingerprint.Sum48([]byte(`{"id":"t1","name":"x","album":null,"unheard_of":"long"`)); got != want {
			t.Errorf("sum: got %d, want %d", got, want)
		}
		return r.Emit()
	}), sdktest.Options{})
	if len(res.All) != 1 || len(res.Skips) != 0 {
		t.Errorf("%d records, reported %+v, want 1 record and no report", len(res.All), res.Skips)
	}
}

// drawers is a connector of a stream with days and with objects in an array.
type drawers func(r *sdk.Record, v jsonvalue.Value)

func (drawers) Manifest() string {
	return `{"streams":[{"name":"drawers","primary_key":["id"],"semantics":"mutable_state","schema":{"type":"object","properties":{
		"id":{"type":"string"},"day":{"type":["string","null"],"format":"date"},"amount":{"type":["integer","null"]},
		"parts":{"type":["array","null"],"items":{"type":"object","properties":{"id":{"type":["string","null"]},"size":{"type":["integer","null"]}}}}
	}}}]}`
}

func (c drawers) Collect(h *sdk.Host) error {
	for _, text := range []string{
		`{"id":"1","day":"2026-01-02","amount":5,"parts":[{"id":"a","size":1},{"id":"gone"},{"id":"b","free":[1]}]}`,
		`{"id":"2","day":"January","parts":{"x":{"id":7,"size":"2"}}}`,
		`{"id":"3","amount":"5","parts":"none"}`,
		`{"id":"4","amount":1}`,
	} {
		v, err := jsonvalue.Parse([]byte(text))
		if err != nil {
			return err
		}
		r := h.Record("drawers")
		c(r, v)
		if err := r.Emit(); err != nil {
			return err
		}
	}
	return nil
}

// A day that is none, a missing value that is expected, and objects with a member that does
// not fit are null and counted; what each leaves out is not there.
func TestCopyOfDaysAndObjects(t *testing.T) {
	t.Parallel()
	res := sdktest.Collect(t, drawers(func(r *sdk.Record, v jsonvalue.Value) {
		r.Copy("id", v.Get("id"))
		r.Copy("day", v.Get("day"))
		r.Expect("amount", v.Get("amount"))
		r.CopyObjects("parts", v.Get("parts"), func(o *sdk.Object, part jsonvalue.Value) bool {
			o.Copy("id", part.Get("id"))
			o.Copy("size", part.Get("size"))
			o.Copy("free", part.Get("free"))
			return !part.Get("id").TextIs("gone")
		})
	}), sdktest.Options{})
	var got []string
	for _, rec := range res.All {
		got = append(got, string(rec.Data))
	}
	want := []string{
		`{"id":"1","day":"2026-01-02","amount":5,"parts":[{"id":"a","size":1,"free":null},{"id":"b","size":null,"free":null}]}`,
		`{"id":"2","day":null,"amount":null,"parts":[{"id":null,"size":null,"free":null}]}`,
		`{"id":"3","day":null,"amount":null,"parts":null}`,
		`{"id":"4","day":null,"amount":1,"parts":[]}`,
	}
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if len(res.Skips) != 1 || string(res.Skips[0].Diagnostics) != `{"count":6,"fields":["day","amount","parts"]}` {
		t.Errorf("reported %+v, want 1 day, 2 amounts and 3 lists of parts", res.Skips)
	}
}

// A field that may not be null keeps its value, and the host rejects the record.
func TestCopyLeavesRequiredFieldsToTheHost(t *testing.T) {
	t.Parallel()
	res := copied(t, strings.Replace(goodTrack, `"One \u00e9"`, `5`, 1))
	if len(res.Problems) != 1 || !strings.Contains(res.Problems[0], "field name is of type integer, the schema wants") || len(res.Skips) != 0 {
		t.Errorf("problems %v, reported %+v, want the number rejected by the schema and no report of the SDK's", res.Problems, res.Skips)
	}
}

// A connector copies what the source gives. A value that the schema does not allow is null
// then, and reported, without a line of the connector's.
func ExampleRecord_Copy() {
	answer := []byte(`[{"id":"t1","name":"Milk","duration_ms":181000},{"id":"t2","name":"Tea","duration_ms":"three minutes"}]`)
	collect := func(h *sdk.Host) error { // the connector's Collect
		list, err := jsonvalue.Parse(answer)
		if err != nil {
			return err
		}
		r := h.Record("tracks")
		for it := list.Children(); it.Next(); {
			v := it.Value()
			r.Copy("id", v.Get("id"))
			r.Copy("name", v.Get("name"))
			r.Copy("duration_ms", v.Get("duration_ms"))
			if err := r.Emit(); err != nil {
				return err
			}
		}
		return nil
	}
	res := sdktest.Collect(exampleT{}, tracks(collect), sdktest.Options{})
	for _, record := range res.All {
		fmt.Println(string(record.Data))
	}
	fmt.Println(res.Skips[0].Reason, string(res.Skips[0].Diagnostics))
	// Output:
	// {"id":"t1","name":"Milk","duration_ms":181000}
	// {"id":"t2","name":"Tea","duration_ms":null}
	// field_type_changed {"count":1,"fields":["duration_ms"]}
}

// handBuilt is what a connector writes without Record: the object by itself, each value
// checked against the type that the author remembers.
type handBuilt struct {
	b          []byte
	mismatched bool
}

func (d *handBuilt) value(name string, v jsonvalue.Value, fits bool) {
	d.mismatched = d.mismatched || !fits && !v.IsNull()
	d.b = v.AppendJSON(jsonappend.Name(d.b, name))
}

func (d *handBuilt) text(name string, v jsonvalue.Value) {
	d.value(name, v, v.Kind() == jsonvalue.String)
}

func (d *handBuilt) number(name string, v jsonvalue.Value) {
	_, ok := v.IntOK()
	d.value(name, v, ok)
}

func (d *handBuilt) texts(name string, v jsonvalue.Value, member string) {
	d.b = append(jsonappend.Name(d.b, name), '[')
	for it := v.Children(); it.Next(); {
		one := it.Value().Get(member)
		d.mismatched = d.mismatched || one.Kind() != jsonvalue.String && !one.IsNull()
		d.b = one.AppendJSON(jsonappend.Elem(d.b))
	}
	d.b = append(d.b, ']')
}

func (d *handBuilt) track(v jsonvalue.Value) {
	d.b, d.mismatched = append(d.b[:0], '{'), false
	d.text("id", v.Get("id"))
	d.text("name", v.Get("name"))
	_, err := time.Parse(time.RFC3339, v.Get("added_at").View())
	d.value("added_at", v.Get("added_at"), err == nil)
	d.texts("artist_names", v.Get("artists"), "name")
	d.texts("artist_ids", v.Get("artists"), "id")
	d.text("album", v.Get("album").Get("name"))
	d.number("duration_ms", v.Get("duration_ms"))
	d.value("explicit", v.Get("explicit"), v.Get("explicit").Kind() == jsonvalue.True || v.Get("explicit").Kind() == jsonvalue.False)
	d.text("isrc", v.Get("external_ids").Get("isrc"))
	d.text("uri", v.Get("uri"))
	d.number("popularity", v.Get("popularity"))
	d.b = append(d.b, '}')
}

// The CPU of a record in Record.Copy, beside the same record built and checked by hand: the
// two in turn, twenty records each, so that a busy machine slows both. The ratio is that of
// the medians. docs/performance.md has the figures.
func BenchmarkRecord(b *testing.B) {
	const start, records = `{"type":"START","scope":{"streams":[{"name":"tracks"}]}}`, 20
	host := &rude{start: start, submit: 1, waits: []int64{1<<32 | int64(len(start))}, now: time.Unix(1, 0)}
	sdk.Serve(tracks(func(h *sdk.Host) error {
		v, err := jsonvalue.Parse([]byte(goodTrack))
		if err != nil {
			return err
		}
		var d handBuilt
		var byHand, copied []time.Duration
		r := h.Record("tracks")
		for b.Loop() {
			began := time.Now()
			for range records {
				d.track(v)
				if err := h.EmitRaw("tracks", v.Get("id").Str(), d.b); err != nil {
					return err
				}
			}
			between := time.Now()
			for range records {
				copyTrack(r, v)
				if err := r.Emit(); err != nil {
					return err
				}
			}
			byHand, copied = append(byHand, between.Sub(began)), append(copied, time.Since(between))
		}
		slices.Sort(byHand)
		slices.Sort(copied)
		one, other := float64(byHand[len(byHand)/2]), float64(copied[len(copied)/2])
		b.ReportMetric(one/records, "by-hand-ns/record")
		b.ReportMetric(other/records, "copied-ns/record")
		b.ReportMetric(other/one, "ratio")
		return nil
	}), host)
	if !strings.Contains(host.done, abi.DoneSucceeded) {
		b.Errorf("DONE %s, want it to say %s", host.done, abi.DoneSucceeded)
	}
}

// A builder of a stream that the manifest does not have takes fields, and Emit says so.
func TestCopyForAnUndeclaredStream(t *testing.T) {
	t.Parallel()
	res := sdktest.Collect(t, tracks(func(h *sdk.Host) error {
		v, err := jsonvalue.Parse([]byte(goodTrack))
		if err != nil {
			return err
		}
		r := h.Record("nothing")
		copyTrack(r, v)
		return r.Emit()
	}), sdktest.Options{})
	if e := res.Done.Error; e == nil || e.Code != string(abi.CodeStreamUnknown) {
		t.Errorf("got %+v, want %s", e, abi.CodeStreamUnknown)
	}
}
