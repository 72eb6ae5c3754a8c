package call

import (
	"context"
	"errors"
	"strings"
	"sync"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
)

// keyring holds the secrets that this run has needed so far. A value is read once, and
// again after the provider refused it: the owner may have entered another one
// meanwhile.
type keyring struct {
	from Secrets
	scrubber

	mu     sync.Mutex
	fields map[string]*keptSecret
}

// keptSecret is the secret of one field. Slots that name the same field share it, and
// therefore its renewal.
type keptSecret struct {
	turn chan struct{} // holds a token; its owner may renew

	// Guarded by the keyring's mutex.
	value      string
	generation int       // number of values so far; 0: not read yet
	expires    time.Time // zero: unknown
	renewed    time.Time // the last renewal; zero: none
	unproven   bool      // renewed, and not yet accepted by the provider
	barred     bool      // refused while it was unproven, and not accepted since
	lost       error     // why it cannot be renewed any more in this run
}

func newKeyring(from Secrets, slots map[string]*slot) *keyring {
	k := &keyring{from: from, fields: make(map[string]*keptSecret)}
	for _, s := range slots {
		for _, field := range []string{s.Field, s.User} {
			if field != "" && k.fields[field] == nil {
				k.fields[field] = &keptSecret{turn: make(chan struct{}, 1)}
				k.fields[field].turn <- struct{}{}
			}
		}
	}
	return k
}

// readStore reads a field's value from the store, not from the cache.
func (k *keyring) readStore(ctx context.Context, field string) (string, bool, error) {
	if k.from == nil {
		return "", false, nil
	}
	value, ok, err := k.from.Value(ctx, field)
	if typed := (*abi.Error)(nil); errors.As(err, &typed) {
		return "", false, typed
	}
	if err != nil {
		return "", false, abi.NewError(CodeCredentialUnavailable, "the credential "+quoted(field)+" could not be read",
			"see `pdpp-host doctor`").Wrap(err)
	}
	return value, ok && value != "", nil
}

func missingCredential(field string) error {
	return abi.NewError(CodeCredentialMissing, "there is no credential "+quoted(field)+" for this connection",
		"store it with: pdpp-host connections credential set NAME FIELD")
}

// load prepares a slot's secret for use. ok is false if there is none and the slot can
// obtain one.
func (k *keyring) load(ctx context.Context, s *slot) (ok bool, err error) {
	user, err := k.value(ctx, s.User, s)
	if err != nil {
		return false, err
	}
	value, err := k.value(ctx, s.Field, s)
	switch {
	case err != nil:
		return false, err
	case s.As == abi.SlotBasic && s.User != "" && user == "":
		return false, missingCredential(s.User)
	case value == "" && s.OAuth == nil:
		return false, missingCredential(s.Field)
	}
	k.hide(value)
	k.hide(strings.TrimSpace(value)) // a header's value arrives without the space around it
	if s.As == abi.SlotBasic {
		k.hide(basicPair(user, value))
	}
	return value != "", nil
}

// value returns a field's value, and reads it from the store the first time.
func (k *keyring) value(ctx context.Context, field string, s *slot) (string, error) {
	h := k.fields[field]
	if h == nil {
		return "", nil
	}
	k.mu.Lock()
	value, generation := h.value, h.generation
	k.mu.Unlock()
	if generation > 0 {
		return value, nil
	}
	value, ok, err := k.readStore(ctx, field)
	if err != nil || !ok {
		return "", err
	}
	if s.In == abi.SlotHeader && strings.IndexFunc(value, control) >= 0 {
		return "", abi.NewError(CodeCredentialInvalid, "the credential "+quoted(field)+" holds a line break or another control character",
			"give it again, on one line")
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if h.generation == 0 {
		h.value, h.generation = value, 1
	}
	return h.value, nil
}

// forget makes the next use of a slot read its values again. Renewed values are
// handled separately.
func (k *keyring) forget(s *slot) {
	k.mu.Lock()
	defer k.mu.Unlock()
	for _, field := range []string{s.Field, s.User} {
		if h := k.fields[field]; h != nil && h.renewed.IsZero() {
			h.generation = 0
		}
	}
}

// text returns a slot's secret in its written form, and its generation. The secret has
// been loaded.
func (k *keyring) text(s *slot) (text string, generation int) {
	k.mu.Lock()
	defer k.mu.Unlock()
	h := k.fields[s.Field]
	user := ""
	if u := k.fields[s.User]; u != nil {
		user = u.value
	}
	return s.write(user, h.value), h.generation
}

// proven records that the provider accepted the secret of generation.
func (k *keyring) proven(s *slot, generation int) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if h := k.fields[s.Field]; h.generation == generation {
		h.unproven, h.barred = false, false
	}
}

// renewedRefused reports whether the provider refused a secret that it had renewed and has never
// accepted.
func (k *keyring) renewedRefused() bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	for _, h := range k.fields {
		if h.barred {
			return true
		}
	}
	return false
}

func (k *keyring) expired(s *slot, now time.Time) (generation int, expired bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	h := k.fields[s.Field]
	return h.generation, !h.expires.IsZero() && !now.Before(h.expires)
}

func control(r rune) bool { return r < ' ' || r == 0x7f }
