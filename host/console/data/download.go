package data

import (
	"mime"
	"net/http"
	"strings"
	"time"

	"github.com/pdpp-host/pdpp-host/host/console/site"
	records "github.com/pdpp-host/pdpp-host/host/owner/data"
)

// stalled is how long a browser may take for a piece of a download.
const stalled = 30 * time.Second

// medias are what the formats of an export are to a browser.
var medias = map[string]string{"jsonl": "application/jsonl", "csv": "text/csv; charset=utf-8", "parquet": "application/vnd.apache.parquet"}

// export answers with all records of a stream, as they come from the store: none is held.
func export(v *site.Visit) error {
	r := records.ExportRequest{Connection: v.R.PathValue("connection"), Stream: v.R.PathValue("stream"), Format: v.R.URL.Query().Get("format"), Safe: true}
	a := attached{v: v, name: r.Connection + "-" + r.Stream + "." + r.Format, media: medias[r.Format]}
	_, err := records.Export(v.Context(), v.Owner, r, &a)
	return a.end(err)
}

// attached is a file that a browser keeps and does not show.
type attached struct {
	v           *site.Visit
	name, media string
	head        func(http.Header) // sets what else the answer says; nil: nothing
	begun       bool
}

// Write implements io.Writer.
func (a *attached) Write(p []byte) (int, error) {
	a.begin()
	// A long download outlasts the time that an answer has. Where there is no deadline to
	// move, there is none to miss.
	_ = http.NewResponseController(a.v.W).SetWriteDeadline(a.v.Now().Add(stalled))
	return a.v.W.Write(p)
}

func (a *attached) begin() {
	if a.begun {
		return
	}
	a.begun = true
	h := a.v.W.Header()
	h.Set("Content-Type", a.media)
	if a.head != nil {
		a.head(h)
	}
	h.Set("Content-Disposition", mime.FormatMediaType("attachment", map[string]string{"filename": fileName(a.name)}))
	a.v.W.WriteHeader(http.StatusOK)
}

// end closes the answer. It cuts off one that failed on the way, so that the browser takes no
// part for the whole.
func (a *attached) end(err error) error {
	switch {
	case err == nil:
		a.begin() // a file without records
		return nil
	case a.begun:
		panic(http.ErrAbortHandler)
	}
	return err
}

// fileName is a name without anything that a file system or a shell would act on.
func fileName(s string) string {
	s = strings.Map(func(r rune) rune {
		if r < 128 && (r == '-' || r == '_' || r == '.' || r >= '0' && r <= '9' || r|32 >= 'a' && r|32 <= 'z') {
			return r
		}
		return '_'
	}, s)
	return strings.TrimLeft(s[max(0, len(s)-120):], ".-")
}
