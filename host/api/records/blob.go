package records

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/pdpp-host/pdpp-host/host/api/wire"
	"github.com/pdpp-host/pdpp-host/host/read"
	"github.com/pdpp-host/pdpp-host/host/web"
)

// stalled is how long a client may take for a part of a blob.
const stalled = 30 * time.Second

// fetchURL is where a blob is read.
func fetchURL(id string) string { return "/v1/blobs/" + id }

// sent answers a request of a route whose answer is no JSON.
func (c *call) sent(rt *route) error {
	if err := c.refuseOwners(); err != nil {
		return err
	}
	return rt.send(c, rt)
}

// sendBlob answers with the bytes of a blob, or a range of them (RD-29).
func (c *call) sendBlob(rt *route) error {
	var b *read.Blob
	if err := c.reads(rt, func() (err error) { b, err = c.findBlob(); return err }); err != nil {
		return err
	}
	c.tellAbout(b.Stream, b.ConnectionID)
	h := c.w.Header()
	tag := `"` + b.ID + `"`
	h.Set("Accept-Ranges", "bytes")
	if c.isKnown(tag) {
		h.Del("Content-Type")
		c.w.WriteHeader(http.StatusNotModified)
		c.disclose(http.StatusNotModified, 0, "")
		return nil
	}
	asked := c.r.Header.Values("Range")
	if at := c.r.Header.Get("If-Range"); at != "" && at != tag || c.r.Method == http.MethodHead { // a range is a GET's (RFC 9110, 14.2)
		asked = nil
	}
	from, to, ranged := rangeOf(asked, b.Bytes)
	status := http.StatusOK
	switch {
	case ranged && from >= to:
		h.Set("Content-Range", fmt.Sprintf("bytes */%d", b.Bytes))
		return &wire.Failure{Status: http.StatusRequestedRangeNotSatisfiable, Code: wire.CodeInvalid, Param: "Range", Message: "is one range of bytes that the blob has"}
	case ranged:
		status = http.StatusPartialContent
		h.Set("Content-Range", fmt.Sprintf("bytes %d-%d/%d", from, to-1, b.Bytes))
	}
	web.Attach(h, b.MediaType)
	h.Set("Content-Length", strconv.FormatInt(to-from, 10))
	if c.r.Method == http.MethodHead {
		c.w.WriteHeader(status)
		c.disclose(status, 0, "")
		return nil
	}
	c.spend(to - from) // before it is read: several may be under way
	c.turn()           // its reader may be slow: the others wait for it no longer
	c.w.WriteHeader(status)
	told := int64(0)
	defer func() {
		c.spend(told - (to - from)) // what was not written was not read
		c.note(status, told, "")
	}()
	for at := from; at < to; at = from + told {
		part, err := c.reader.BlobPart(c.r.Context(), b, at)
		if err == nil {
			var n int
			n, err = c.write(part[:min(int64(len(part)), to-at)])
			told += int64(n)
		}
		if err != nil {
			panic(http.ErrAbortHandler) // no part is taken for the whole
		}
	}
	return nil
}

// write writes a part to a client that may be slow, and not stand still.
func (c *call) write(part []byte) (int, error) {
	err := http.NewResponseController(c.w).SetWriteDeadline(time.Now().Add(stalled))
	if err != nil && !errors.Is(err, http.ErrNotSupported) {
		return 0, err
	}
	return c.w.Write(part) //nolint:gosec // web.Attach has told the browser to run none of it
}

// findBlob finds the blob that is asked for. One of several connections is ambiguous (RD-09.2).
func (c *call) findBlob() (*read.Blob, error) {
	from, err := c.from()
	if done := c.query.Done(); done != nil {
		err = done
	}
	if err != nil {
		return nil, err
	}
	all, err := c.reader.Blobs(c.r.Context(), c.caller.Scope, c.blob, from)
	if err != nil {
		return nil, err
	}
	if len(all) == 1 {
		return &all[0], nil
	}
	f := &wire.Failure{Status: http.StatusConflict, Code: codeAmbiguous, Message: "several connections have that blob", Param: "connection_id", RetryWith: "connection_id"}
	for i := range all {
		f.Connections = append(f.Connections, wire.Connection{ID: all[i].ConnectionID, DisplayName: all[i].Connection, ConnectorKey: all[i].Connector})
	}
	return nil, f
}

// isAmong reports whether a list of ETags has one, or all of them.
func isAmong(sent []string, tag string) bool {
	all := strings.Split(strings.Join(sent, ","), ",")
	return slices.ContainsFunc(all, func(one string) bool {
		one = strings.TrimPrefix(strings.TrimSpace(one), "W/")
		return one == tag || one == "*"
	})
}

// rangeOf reads which bytes of so many are asked for: from one to another, which is not
// included. part: a range is asked for. One without a byte cannot be answered. Several
// ranges, and those of another unit, are answered with the whole (RFC 9110, 14.2).
func rangeOf(sent []string, size int64) (from, to int64, part bool) {
	asked, is := "", false
	if len(sent) > 0 {
		asked, is = strings.CutPrefix(sent[0], "bytes=")
	}
	if !is || len(sent) > 1 || strings.Contains(asked, ",") {
		return 0, size, false
	}
	first, last, has := strings.Cut(strings.TrimSpace(asked), "-")
	if !has || strings.Trim(first+last, "0123456789") != "" || first+last == "" {
		return 0, 0, true
	}
	number := func(s string) int64 {
		n, _ := strconv.ParseInt(s, 10, 64) // one that is too large is the largest
		return min(n, size)
	}
	switch {
	case first == "":
		return size - number(last), size, true
	case last == "":
		return number(first), size, true
	}
	return number(first), min(number(last)+1, size), true
}
