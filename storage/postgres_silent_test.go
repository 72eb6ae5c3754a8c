package storage

import (
	"context"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
)

// A server that takes a connection and says nothing is told as one; a caller who gives up is
// told that.
func TestSilentServer(t *testing.T) {
	t.Parallel()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	taken := make(chan net.Conn, 64)
	done := make(chan struct{})
	go func() {
		defer close(done)
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			taken <- c
		}
	}()
	defer func() {
		_ = l.Close()
		<-done
		close(taken)
		for c := range taken {
			_ = c.Close()
		}
	}()
	dsn := "postgres://ada@" + l.Addr().String() + "/pdpp?sslmode=disable&connect_timeout=1"
	_, err = Open(t.Context(), Options{Path: dsn, Now: time.Now})
	if abi.CodeOf(err) != abi.CodeStoreUnavailable || !strings.Contains(err.Error(), "does not answer") {
		t.Errorf("got %v, want that PostgreSQL does not answer", err)
	}
	ctx, stop := context.WithCancel(t.Context())
	stop()
	if _, err := Open(ctx, Options{Path: dsn, Now: time.Now}); err == nil || strings.Contains(err.Error(), "does not answer") {
		t.Errorf("got %v for a caller who gave up, want no word of the server", err)
	}
}
