package passkey_test

import (
	"bytes"
	"crypto/rand"
	"testing"
	"time"

	"github.com/pdpp-host/pdpp-host/host/owner/passkey"
	"github.com/pdpp-host/pdpp-host/testplugins/rig/authenticator"
)

var (
	party     = passkey.Party{ID: "localhost", Origin: "http://localhost:8377"}
	challenge = bytes.Repeat([]byte("c"), 32)
	handle    = bytes.Repeat([]byte("h"), 32)
)

// made returns a device, the answer with which it made a passkey, and the passkey.
func made(t testing.TB) (*authenticator.Device, []byte, *passkey.Key) {
	t.Helper()
	d := authenticator.New(party.Origin)
	options, err := passkey.MakeOptions(party, challenge, handle, nil)
	if err != nil {
		t.Fatal(err)
	}
	answer, err := d.Make(options)
	if err != nil {
		t.Fatal(err)
	}
	key, err := passkey.Made(party, challenge, handle, answer)
	if err != nil {
		t.Fatal(err)
	}
	return d, answer, key
}

// FuzzMade: no answer makes more of a key than its bounds, or breaks the judge.
func FuzzMade(f *testing.F) {
	_, answer, _ := made(f)
	f.Add(answer)
	f.Add([]byte(`{"id":"AA","rawId":"AA","type":"public-key","response":{"clientDataJSON":"e30","attestationObject":"oA"}}`))
	f.Add([]byte("null"))
	f.Fuzz(func(t *testing.T, answer []byte) {
		key, err := passkey.Made(party, challenge, handle, answer)
		if err == nil && (len(key.Credential) == 0 || len(key.Credential) > 1023 || len(key.PublicKey) == 0 || len(key.PublicKey) > 1100) {
			t.Errorf("got a key of %d and %d bytes, want 1 to 1023, and 1 to 1100", len(key.Credential), len(key.PublicKey))
		}
	})
}

// FuzzHolds: no answer but one that the device signed proves its key, and none proves a key
// that there is not.
func FuzzHolds(f *testing.F) {
	d, _, key := made(f)
	options, err := passkey.UseOptions(party, challenge)
	if err != nil {
		f.Fatal(err)
	}
	answer, err := d.Use(options)
	if err != nil {
		f.Fatal(err)
	}
	if a, err := passkey.Read(answer); err != nil {
		f.Fatal(err)
	} else if _, err := a.Holds(party, challenge, key); err != nil {
		f.Fatal(err)
	}
	f.Add(answer)
	f.Add([]byte(`{"id":"AA","rawId":"AA","type":"public-key","response":{"clientDataJSON":"e30","authenticatorData":"AA","signature":"AA","userHandle":"AA"}}`))
	f.Add([]byte("[]"))
	f.Fuzz(func(t *testing.T, text []byte) {
		a, err := passkey.Read(text)
		if err != nil {
			return
		}
		if _, err := a.Holds(party, challenge, nil); err == nil {
			t.Error("an answer proves a key that there is not, want that none does")
		}
		if _, err := a.Holds(party, bytes.Repeat([]byte("d"), 32), key); err == nil {
			t.Error("an answer holds for another challenge, want that none does")
		}
	})
}

// FuzzTake: no ticket but one that was given stands for a challenge of the device's.
func FuzzTake(f *testing.F) {
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	var c passkey.Ceremonies
	given, want, err := c.Begin(rand.Reader, now, "x", party)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(given)
	f.Add("")
	f.Fuzz(func(t *testing.T, ticket string) {
		if got := c.Take(now, ticket, "x", party); bytes.Equal(got, want) && ticket != given {
			t.Errorf("the ticket %q stands for the challenge of %q, want that none does", ticket, given)
		}
		if c.Take(now, ticket, "x", party) != nil {
			t.Errorf("the ticket %q is good twice, want once", ticket)
		}
	})
}
