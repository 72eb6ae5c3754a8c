package passkey

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"io"
	"sync"
	"time"
)

// Life is how long a challenge may be answered.
const Life = 5 * time.Minute

// Party is this host as a device knows it.
type Party struct {
	ID     string // its name, without scheme and port
	Origin string // what addresses of its pages begin with
}

// Ceremonies makes challenges, and takes the answer of each once. Its zero value is ready; it
// is safe for concurrent use.
//
// It remembers none of the challenges that it made, of which strangers may ask for any number:
// a challenge follows from the browser's ticket by a key of this process. It remembers those
// that were answered, until they are too old.
type Ceremonies struct {
	mu       sync.Mutex
	key      []byte
	answered map[string]time.Time // tickets, with their end
}

const (
	secretBytes = 32
	ticketBytes = secretBytes + 8 // with its end, in microseconds
)

// Begin makes a challenge for one purpose, such as the end of a set-up link, and the ticket
// that the browser brings along with its answer.
func (c *Ceremonies) Begin(random io.Reader, now time.Time, purpose string, p Party) (ticket string, challenge []byte, err error) {
	b := make([]byte, ticketBytes)
	if _, err := io.ReadFull(random, b[:secretBytes]); err != nil {
		return "", nil, err
	}
	binary.BigEndian.PutUint64(b[secretBytes:], uint64(now.Add(Life).UnixMicro())) //nolint:gosec // after 1970
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.key == nil {
		key := make([]byte, secretBytes)
		if _, err := io.ReadFull(random, key); err != nil {
			return "", nil, err
		}
		c.key = key
	}
	return base64.RawURLEncoding.EncodeToString(b), c.challenge(b, purpose, p), nil
}

// challenge is what a ticket stands for.
func (c *Ceremonies) challenge(ticket []byte, purpose string, p Party) []byte {
	mac := hmac.New(sha256.New, c.key)
	mac.Write(ticket)
	for _, part := range []string{purpose, p.ID, p.Origin} {
		_ = binary.Write(mac, binary.BigEndian, uint64(len(part))) // a hash takes all
		mac.Write([]byte(part))
	}
	return mac.Sum(nil)
}

// Take returns the challenge that an answer has to hold; nil: the ticket is none of ours, too
// old or used. The ticket is used up, whatever the answer is.
func (c *Ceremonies) Take(now time.Time, ticket, purpose string, p Party) []byte {
	b, err := base64.RawURLEncoding.Strict().DecodeString(ticket)
	if err != nil || len(b) != ticketBytes {
		return nil
	}
	ends := time.UnixMicro(int64(binary.BigEndian.Uint64(b[secretBytes:]))) //nolint:gosec // looked at next
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.key == nil || !now.Before(ends) || ends.After(now.Add(Life)) {
		return nil
	}
	for t, end := range c.answered {
		if !now.Before(end) {
			delete(c.answered, t)
		}
	}
	if _, used := c.answered[ticket]; used {
		return nil
	}
	if c.answered == nil {
		c.answered = map[string]time.Time{}
	}
	c.answered[ticket] = ends
	return c.challenge(b, purpose, p)
}
