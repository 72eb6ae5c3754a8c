package egress

import (
	"context"
	"fmt"
	"io"
	"mime"
	"net"
	"net/http"
	"net/url"
	"strings"

	"github.com/pdpp-host/pdpp-host/abi"
)

// mostDocument bounds a document, in bytes.
const mostDocument = 5 << 10

// ReadDocument reads a JSON document of up to 5 KiB at an https address that a stranger named, from a
// public network address. private are exceptions as those of Policy.AllowPrivate. It follows no redirect.
// The error is an *abi.Error, or wraps ctx's cause.
func ReadDocument(ctx context.Context, address string, o Options, private ...string) ([]byte, error) {
	u, err := url.Parse(address)
	if err != nil {
		return nil, refusedDocument("its address cannot be read")
	}
	port := u.Port()
	if port == "" {
		port = "443"
	}
	o.MaxWireBytes, o.MaxWholeBytes = mostDocument, mostDocument
	g, err := New(Policy{Servers: []string{net.JoinHostPort(u.Hostname(), port)}, AllowPrivate: private}, o)
	if err != nil {
		return nil, err
	}
	defer g.Close()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, http.NoBody)
	if err != nil {
		return nil, refusedDocument("its address cannot be asked")
	}
	req.Header.Set("Accept", "application/json")
	resp, err := g.RoundTrip(req)
	if err != nil {
		return nil, err
	}
	defer func() { _ = resp.Body.Close() }() // the whole body is read, or refused
	media, _, _ := mime.ParseMediaType(resp.Header.Get("Content-Type"))
	switch {
	case resp.StatusCode != http.StatusOK:
		return nil, refusedDocument(fmt.Sprintf("the answer is %d and not 200", resp.StatusCode))
	case media != "application/json" && !strings.HasSuffix(media, "+json"):
		return nil, refusedDocument("the answer is not JSON by its Content-Type")
	}
	return io.ReadAll(resp.Body)
}

func refusedDocument(why string) error {
	return abi.NewError(CodeDocumentRefused, "the document is not read: "+why, "its publisher can mend it")
}
