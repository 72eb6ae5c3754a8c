package credential

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"sync"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/abi/manifest"
	"github.com/pdpp-host/pdpp-host/host/vault"
	"github.com/pdpp-host/pdpp-host/storage"
)

// Secrets are the credentials of one connection: the stored ones, and those of
// the environment where none is stored. It implements the run's port and is safe
// for concurrent use. A value is unsealed for each use and not kept.
type Secrets struct {
	Options vault.Options
	Vault   *vault.Vault // nil: it was not opened so far

	store      *storage.Store
	connection string // id
	fields     []abi.CredentialField
	getenv     func(string) string

	mu     sync.Mutex
	stored map[string]bool
	read   map[string][]byte  // sealed, by field, as the store had them when they were read
	writer *storage.RunWriter // of the run that may replace them; nil before it began
}

// CodeUnknown says that the connector does not declare a field, or that the field has
// no stored value.
const CodeUnknown abi.Code = "connection.credential_unknown"

// New returns the credentials of a connection whose connector has these fields.
func New(store *storage.Store, o vault.Options, conn *storage.Connection, fields []abi.CredentialField, getenv func(string) string) *Secrets {
	return &Secrets{
		Options: o, store: store, connection: conn.ID, fields: fields,
		getenv: OwnEnvironment(conn, getenv), stored: map[string]bool{}, read: map[string][]byte{},
	}
}

// Variable returns the variable that has a value for a field; "" when none has.
func (s *Secrets) Variable(f abi.CredentialField) string { return VariableOf(f, s.getenv) }

// Check opens what is stored and takes down the names.
func (s *Secrets) Check(ctx context.Context) error {
	sealed, err := s.store.SealedCredentials(ctx, s.connection)
	if err != nil {
		return err
	}
	for field, b := range sealed {
		if manifest.CredentialNamed(s.fields, field) == nil {
			continue // of an earlier version of the connector
		}
		plain, err := s.unseal(ctx, field, b)
		if err != nil {
			return err
		}
		clear(plain)
		s.mu.Lock()
		s.stored[field], s.read[field] = true, b
		s.mu.Unlock()
	}
	return nil
}

// BindRun implements run.Secrets.
func (s *Secrets) BindRun(w *storage.RunWriter) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.writer = w
}

// Open opens the vault, once. create says that something is to be sealed.
func (s *Secrets) Open(ctx context.Context, create bool) (*vault.Vault, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.Vault != nil {
		return s.Vault, nil
	}
	var err error
	s.Vault, err = OpenVault(ctx, s.store, s.Options, create)
	return s.Vault, err
}

// OpenVault opens the vault of a store. create says that something is to be sealed: its
// key is made where nothing is sealed so far.
func OpenVault(ctx context.Context, store *storage.Store, o vault.Options, create bool) (*vault.Vault, error) {
	all, err := store.StoredCredentials(ctx, "")
	if err != nil {
		return nil, err
	}
	channels, err := store.Channels(ctx)
	if err != nil {
		return nil, err
	}
	o.Sealed, o.Create = len(all)+len(channels) > 0, create
	return vault.Open(ctx, o)
}

func (s *Secrets) unseal(ctx context.Context, field string, sealed []byte) ([]byte, error) {
	v, err := s.Open(ctx, false)
	if err != nil {
		return nil, err
	}
	return v.Unseal(s.connection, field, sealed)
}

// Held implements run.Secrets. A required environment name stands in it beside
// the field that it fills, because a connector may ask by either.
func (s *Secrets) Held() map[string]bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	held := make(map[string]bool, len(s.fields))
	for _, f := range s.fields {
		has := s.stored[f.Name] || VariableOf(f, s.getenv) != ""
		held[f.Name] = has
		if len(f.Env) == 1 && f.Label == f.Env[0] {
			held[f.Label] = has
		}
	}
	return held
}

// Value implements run.Secrets. The stored value wins over the environment's: an
// owner stored it for this connection, and a variable may be meant for anything.
// A stored value that does not open is an error and never silently another one.
func (s *Secrets) Value(ctx context.Context, field string) (string, bool, error) {
	f := manifest.CredentialNamed(s.fields, field)
	if f == nil {
		return "", false, nil
	}
	sealed, err := s.store.SealedCredentials(ctx, s.connection)
	if err != nil {
		return "", false, err
	}
	b, ok := sealed[f.Name]
	s.mu.Lock()
	s.read[f.Name] = b
	s.mu.Unlock()
	if ok {
		plain, err := s.unseal(ctx, f.Name, b)
		if err != nil {
			return "", false, err
		}
		defer clear(plain)
		return string(plain), true, nil
	}
	if name := VariableOf(*f, s.getenv); name != "" {
		return s.getenv(name), true, nil
	}
	return "", false, nil
}

// Replace implements run.Secrets: renewed values, all of them or none.
func (s *Secrets) Replace(ctx context.Context, values map[string]string) error {
	plain := make(map[string][]byte, len(values))
	defer zero(plain)
	for field, value := range values {
		f := manifest.CredentialNamed(s.fields, field)
		if f == nil {
			return abi.NewError(CodeUnknown, "the connector declares no such credential", "report it to the connector's author").
				WithDetail("field " + field)
		}
		plain[f.Name] = []byte(value)
	}
	s.mu.Lock()
	read, w := maps.Clone(s.read), s.writer
	s.mu.Unlock()
	if w == nil {
		return abi.NewError(abi.CodeInternal, "a credential was renewed before its run began", "")
	}
	return s.seal(ctx, plain, func(ctx context.Context, sealed map[string][]byte) error {
		return w.ReplaceCredentials(ctx, read, sealed)
	})
}

// Keep implements run.Secrets: what an owner typed in answer to a question. The declared
// fields are stored; other answers are not, and an answer without any declared field is an
// error, since the connector would go on without.
func (s *Secrets) Keep(ctx context.Context, values map[string]string) error {
	plain := make(map[string][]byte, len(values))
	defer zero(plain)
	for name, value := range values {
		if f := s.asked(name); f != nil && value != "" {
			plain[f.Name] = []byte(value)
		}
	}
	if len(plain) == 0 {
		return abi.NewError(CodeUnknown, "the connector asked for credentials that it does not declare",
			"report it to the connector's author")
	}
	return s.Put(ctx, plain)
}

// plainAnswer is the name of the answer to a question that has no form.
const plainAnswer = "value"

// asked is the field that an answer is for. The one answer to a question without
// a form is for the one required field that is not held.
func (s *Secrets) asked(name string) *abi.CredentialField {
	if f := manifest.CredentialNamed(s.fields, name); f != nil || name != plainAnswer {
		return f
	}
	held := s.Held()
	missing := slices.DeleteFunc(slices.Clone(s.fields), func(f abi.CredentialField) bool { return !f.Required || held[f.Name] })
	if len(missing) != 1 {
		return nil
	}
	return &missing[0]
}

// Put stores what an owner typed, by field name, over whatever is there.
func (s *Secrets) Put(ctx context.Context, plain map[string][]byte) error {
	return s.seal(ctx, plain, func(ctx context.Context, sealed map[string][]byte) error {
		return s.store.PutCredentials(ctx, s.connection, sealed)
	})
}

// seal seals values by field name and hands them to store.
func (s *Secrets) seal(ctx context.Context, plain map[string][]byte, store func(ctx context.Context, sealed map[string][]byte) error) error {
	v, err := s.Open(ctx, true)
	if err != nil {
		return err
	}
	sealed := make(map[string][]byte, len(plain))
	for field, value := range plain {
		if sealed[field], err = v.Seal(s.connection, field, value); err != nil {
			return fmt.Errorf("field %s: %w", field, err)
		}
	}
	if err := store(ctx, sealed); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for field := range plain {
		s.stored[field], s.read[field] = true, sealed[field]
	}
	return nil
}

func zero(plain map[string][]byte) {
	for _, b := range plain {
		clear(b)
	}
}
