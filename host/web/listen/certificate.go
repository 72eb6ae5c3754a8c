package listen

import (
	"crypto/tls"
	"os"
	"sync"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
)

// certificate is a pair of files that are renewed every few months, which a
// server outlives.
type certificate struct {
	cert, key string

	mu     sync.Mutex
	loaded *tls.Certificate
	of     [2]time.Time // when the files were written that it was read from
}

// secureWith returns how to speak TLS with a pair of PEM files.
func secureWith(cert, key string) (*tls.Config, error) {
	if cert == "" || key == "" {
		return nil, abi.NewError(CodeTLSInvalid, "a certificate and its key belong together", "give both --tls-cert and --tls-key, or neither")
	}
	c := &certificate{cert: cert, key: key}
	if err := c.load(); err != nil {
		return nil, abi.NewError(CodeTLSInvalid, "the certificate and its key cannot be used",
			"name a PEM certificate chain and the PEM key that belongs to it").WithDetail(cert + ", " + key).Wrap(err)
	}
	return &tls.Config{
		MinVersion: tls.VersionTLS12,
		NextProtos: []string{"http/1.1"},
		GetCertificate: func(*tls.ClientHelloInfo) (*tls.Certificate, error) {
			return c.current(), nil
		},
	}, nil
}

// current returns the pair, read again when a file has changed. While one of them
// is being written the pair does not fit: then the one before goes on.
func (c *certificate) current() *tls.Certificate {
	c.mu.Lock()
	defer c.mu.Unlock()
	if now, err := c.written(); err == nil && now != c.of {
		_ = c.read(now) // the next connection tries again
	}
	return c.loaded
}

func (c *certificate) load() error {
	now, err := c.written()
	if err != nil {
		return err
	}
	return c.read(now)
}

func (c *certificate) written() (at [2]time.Time, err error) {
	for i, path := range []string{c.cert, c.key} {
		st, err := os.Stat(path)
		if err != nil {
			return at, err
		}
		at[i] = st.ModTime()
	}
	return at, nil
}

func (c *certificate) read(at [2]time.Time) error {
	pair, err := tls.LoadX509KeyPair(c.cert, c.key)
	if err != nil {
		return err
	}
	c.loaded, c.of = &pair, at
	return nil
}
