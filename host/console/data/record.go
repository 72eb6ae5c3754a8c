package data

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"strconv"

	"github.com/pdpp-host/pdpp-host/host/console/site"
	"github.com/pdpp-host/pdpp-host/host/console/ui"
	"github.com/pdpp-host/pdpp-host/host/console/words"
	"github.com/pdpp-host/pdpp-host/host/owner"
	records "github.com/pdpp-host/pdpp-host/host/owner/data"
	"github.com/pdpp-host/pdpp-host/host/web"
)

// mostFields bounds the fields of a record that its page shows.
const mostFields = 200

// record is what the page of a record shows.
type record struct {
	*records.RecordDetail

	fields []field
	more   bool // there are more fields
	json   shownText
	proof  string
}

type field struct {
	name, value shownText
	blob        string // the id of the blob that it refers to; "": it is no reference
}

func recordOf(v *site.Visit) (*records.RecordDetail, error) {
	return records.RecordOf(v.Context(), v.Owner, v.R.PathValue("connection"), v.R.PathValue("stream"), v.R.URL.Query().Get("key"))
}

func showRecord(v *site.Visit) error {
	d, err := recordOf(v)
	if err != nil {
		return err
	}
	r := record{RecordDetail: d, proof: v.Proof()}
	if !d.Deleted {
		r.json = laidOut(d.Data)
		var fields map[string]json.RawMessage
		_ = json.Unmarshal(d.Data, &fields) // what is no object has no fields, and its JSON stands there
		for name, value := range ui.Sorted(fields) {
			if r.more = len(r.fields) == mostFields; r.more {
				break
			}
			r.fields = append(r.fields, field{plainText(name, mostCell), valueOf(value, mostValue), records.BlobID(value)})
		}
	}
	return v.Show(http.StatusOK, words.RecordTitle, ui.Data, recordPage(&r))
}

// erase deletes a record, and restore lets runs bring it again.
func erase(v *site.Visit) error { return change(v, records.Erase, words.RecordErased) }

func restore(v *site.Visit) error { return change(v, records.Restore, words.RecordRestored) }

func change(v *site.Visit, do func(context.Context, *owner.Owner, string, string, string) (*records.Erased, error), what words.Key) error {
	e, err := do(v.Context(), v.Owner, v.R.PathValue("connection"), v.R.PathValue("stream"), v.R.URL.Query().Get("key"))
	if err != nil {
		return err
	}
	return v.Done(recordPath(&records.Record{Connection: e.Connection, Stream: e.Stream, Key: e.Key}, ""), what)
}

// download answers with a whole record.
func download(v *site.Visit) error {
	d, err := recordOf(v)
	if err != nil {
		return err
	}
	if d.Deleted {
		return site.NotFound()
	}
	a := attached{v: v, name: d.Stream + "-record.json", media: "application/json"}
	_, err = a.Write(d.Data)
	return a.end(err)
}

// blob answers with the bytes that a record refers to, as a file that no browser shows.
func blob(v *site.Visit) error {
	r := records.BlobRequest{Connection: v.R.PathValue("connection"), Stream: v.R.PathValue("stream"), ID: v.R.URL.Query().Get("id")}
	a := attached{v: v, name: r.ID}
	err := records.Blob(v.Context(), v.Owner, r, func(mediaType string, bytes int64) io.Writer {
		a.head = func(h http.Header) { // with the bytes: a page of an error has none of it
			web.Attach(h, mediaType)
			h.Set("Content-Length", strconv.FormatInt(bytes, 10))
		}
		return &a
	})
	return a.end(err)
}

func blobPath(r *records.Record, id string) string {
	return streamPath(r.Connection, r.Stream) + "/record/blob?" + url.Values{"id": {id}}.Encode()
}
