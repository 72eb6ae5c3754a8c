package credentials

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/abi/manifest"
	"github.com/pdpp-host/pdpp-host/host/owner"
	"github.com/pdpp-host/pdpp-host/host/owner/credential"
	"github.com/pdpp-host/pdpp-host/host/owner/questions"
	"github.com/pdpp-host/pdpp-host/host/owner/words"
)

// StoredCredential is a credential that was stored.
type StoredCredential struct {
	Connection string `json:"connection"`
	Field      string `json:"field"`
	Replaced   bool   `json:"replaced"`

	Variable string `json:"-"` // that it wins over; "": none has a value
}

// Set stores a credential, encrypted. field may be "" where the connector has
// only one. value is called once, with the connection's name and the field's, after the
// vault is open: nobody types a secret twice for a lost key. Its result is cleared.
func Set(ctx context.Context, o *owner.Owner, name, field string, value func(connection, field string) ([]byte, error)) (*StoredCredential, error) {
	store, conn, err := o.CredentialConnection(ctx, name)
	if err != nil {
		return nil, err
	}
	m, err := o.ManifestOf(ctx, conn)
	if err != nil {
		return nil, err
	}
	fields := manifest.Credentials(m)
	f, err := chosenField(conn.Name, fields, field)
	if err != nil { // what was typed in the field's place may be the secret
		return nil, o.Refused(ctx, store, "credentials.set", conn.Name, err)
	}
	secrets := credential.New(store, o.Vault, conn, fields, o.Getenv)
	if _, err := secrets.Open(ctx, true); err != nil {
		return nil, o.Refused(ctx, store, "credentials.set", conn.Name+" "+f.Name, err)
	}
	before, err := store.SealedCredentials(ctx, conn.ID)
	if err != nil {
		return nil, err
	}
	secret, err := value(conn.Name, f.Name)
	if err != nil {
		return nil, err
	}
	defer clear(secret)
	err = o.Audited(ctx, store, "credentials.set", conn.Name+" "+f.Name, func(ctx context.Context) error {
		return secrets.Put(ctx, map[string][]byte{f.Name: secret})
	})
	if err != nil {
		return nil, err
	}
	_, replaced := before[f.Name]
	before[f.Name] = nil
	if err := questions.Satisfy(ctx, o, conn.ID, missing(secrets, fields, before)); err != nil { // it is stored, and its owner can answer
		o.Logger.Warn("what a run asks for is stored, and the run was not told", "connection", conn.Name, "code", abi.CodeOf(err))
	}
	o.TellPutRight()
	return &StoredCredential{conn.Name, f.Name, replaced, secrets.Variable(*f)}, nil
}

// missing returns what reports whether a run still lacks a credential that it asks for by that
// name; a question without names asks for each that is required.
func missing(secrets *credential.Secrets, fields []abi.CredentialField, stored map[string][]byte) func(name string) bool {
	return func(name string) bool {
		asked := manifest.CredentialNamed(fields, name)
		return slices.ContainsFunc(fields, func(f abi.CredentialField) bool {
			_, has := stored[f.Name]
			return !has && secrets.Variable(f) == "" && (asked == nil && f.Required || asked != nil && asked.Name == f.Name)
		})
	}
}

// chosenField is the field that was named, or the only one there is.
func chosenField(connection string, fields []abi.CredentialField, typed string) (*abi.CredentialField, error) {
	if typed == "" && len(fields) == 1 {
		return &fields[0], nil
	}
	if typed == "" && len(fields) > 1 {
		return nil, abi.NewError(abi.CodeUsage, "connection "+connection+" has several credentials",
			"name one of them: "+strings.Join(fieldNames(fields), ", ")+", as in: pdpp-host connections credential set "+words.Quoted(connection)+" "+words.Quoted(fields[0].Name))
	}
	if f := manifest.CredentialNamed(fields, typed); f != nil {
		return f, nil
	}
	return nil, unknownField(typed, fields)
}

func fieldNames(fields []abi.CredentialField) []string {
	names := make([]string, len(fields))
	for i, f := range fields {
		names[i] = f.Name
	}
	slices.Sort(names)
	return names
}

// unknownField does not repeat what was typed in the field's place: an owner who leaves
// the field out types the secret there.
func unknownField(typed string, fields []abi.CredentialField) error {
	if len(fields) == 0 {
		if looksLikeSecret(typed) {
			return SecretArgument()
		}
		return abi.NewError(credential.CodeUnknown, "the connector uses no credentials", "nothing has to be set; it can run")
	}
	names := fieldNames(fields)
	if looksLikeSecret(typed) && abi.Nearest(strings.ToLower(typed), names) == "" {
		return SecretArgument()
	}
	return abi.NewError(credential.CodeUnknown, "the connector has no such credential field", nearestOf(typed, names, "its fields are"))
}

// SecretArgument is the error of a credential that was typed as an argument.
func SecretArgument() error {
	return abi.NewError(abi.CodeUsage, "a credential's value is never an argument",
		"an argument is seen by other programs and stays in the shell's history: leave it out and type it when asked, or pipe it in."+
			" If a real one was typed, replace it at its provider")
}

// leastSecret is how long a token is at least. Fields have shorter names, or names
// that are written in one case and with hardly a digit.
const leastSecret = 16

// looksLikeSecret reports whether a value was typed in a field's place: it is long, and
// mixed as no name is.
func looksLikeSecret(typed string) bool {
	lower, upper, digits, other := 0, 0, 0, 0
	for _, r := range typed {
		switch {
		case r >= 'a' && r <= 'z':
			lower++
		case r >= 'A' && r <= 'Z':
			upper++
		case r >= '0' && r <= '9':
			digits++
		case r != '_' && r != '-':
			other++
		}
	}
	return len(typed) >= leastSecret && (digits > 1 || other > 0 || lower > 0 && upper > 1)
}

func nearestOf(typed string, names []string, list string) string {
	if len(names) == 0 {
		return "none is stored"
	}
	slices.Sort(names)
	hint := list + ": " + strings.Join(names, ", ")
	if n := abi.Nearest(strings.ToLower(typed), names); n != "" {
		return fmt.Sprintf("did you mean %q? %s", n, hint)
	}
	return hint
}
