package site

import (
	"bytes"
	"compress/gzip"
	"strings"
	"sync"
)

// leastZipped is the size of an answer that is worth compressing, in bytes.
const leastZipped = 1 << 10

var zippers = sync.Pool{New: func() any { return gzip.NewWriter(nil) }}

// zip returns the body compressed; nil: it goes out as it is.
func (v *Visit) zip(body []byte) []byte {
	if v.Uncompressed || len(body) < leastZipped || !accepts(v.R.Header.Values("Accept-Encoding")) {
		return nil
	}
	var b bytes.Buffer
	w, _ := zippers.Get().(*gzip.Writer)
	defer zippers.Put(w)
	w.Reset(&b)
	if _, err := w.Write(body); err != nil || w.Close() != nil {
		return nil
	}
	return b.Bytes()
}

// accepts reports whether a browser takes gzip.
func accepts(headers []string) bool {
	for part := range strings.SplitSeq(strings.Join(headers, ","), ",") {
		name, rest, _ := strings.Cut(strings.TrimSpace(part), ";")
		q := strings.ReplaceAll(rest, " ", "")
		if strings.EqualFold(strings.TrimSpace(name), "gzip") && q != "q=0" && !strings.HasPrefix(q, "q=0.0") {
			return true
		}
	}
	return false
}
