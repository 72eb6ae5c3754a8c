package browser

import (
	"crypto/sha1" //nolint:gosec // RFC 6455 has it
	"encoding/base64"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/pdpp-host/pdpp-host/abi"
)

// socket takes a WebSocket, and says nothing on it.
func socket(w http.ResponseWriter, r *http.Request) bool {
	if r.Header.Get("Upgrade") != "websocket" {
		return false
	}
	sum := sha1.Sum([]byte(r.Header.Get("Sec-WebSocket-Key") + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11")) //nolint:gosec // RFC 6455 has it
	conn, _, err := w.(http.Hijacker).Hijack()
	if err == nil {
		_, _ = fmt.Fprintf(conn, "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: %s\r\n\r\n", base64.StdEncoding.EncodeToString(sum[:]))
		_, _ = io.Copy(io.Discard, conn) // until the browser closes it
		_ = conn.Close()
	}
	return true
}

// The WebSockets of a page are few at once, whatever it asks for, and its requests go on beside
// them (BR-08.3).
func TestSockets(t *testing.T) {
	t.Parallel()
	shop := newSite(t, map[string]string{"/": "<title>shop</title>", "/data": "data"})
	shop.other = socket
	b := bind(t, shop, nil)
	b.does(`{"do":"open","url":"https://shop.example/"}`)
	_, got := b.does(`{"do":"eval","fn":"async () => { const all = globalThis.all = []; const one = i => new Promise(r => { const w = new WebSocket('wss://shop.example/' + i); all.push(w); w.onopen = () => r('open'); w.onerror = () => r('failed') }); ` +
		`const out = await Promise.all([...Array(12).keys()].map(one)); return [out.join(' '), await (await fetch('/data')).text()] }","timeout_ms":120000}`)
	if n := strings.Count(got, "open"); n == 0 || n > abi.BrowserSockets || n+strings.Count(got, "failed") != 12 || !strings.HasSuffix(got, `"data"]`) {
		t.Errorf("got %s, want at most %d open, the others failed, and the data", got, abi.BrowserSockets)
	}
}
