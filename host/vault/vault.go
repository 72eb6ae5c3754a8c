package vault

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"filippo.io/age"

	"github.com/pdpp-host/pdpp-host/abi"
)

// MaxValue is the maximum length of a secret, in bytes.
const MaxValue = 64 << 10

// maxSealed bounds a sealed secret: the longest envelope and age's own part, which is
// below 1 KiB for one recipient.
const maxSealed = MaxValue + 4<<10

// Vault seals and unseals with one key. It does not change once it is open and is safe
// for concurrent use.
type Vault struct {
	identity *age.X25519Identity
	place    string
}

// Place returns the place of the key: a path, or the keyring.
func (v *Vault) Place() string { return v.place }

// Seal encrypts a secret of one field of one connection. The caller keeps plain and
// zeroes it.
func (v *Vault) Seal(connectionID, field string, plain []byte) ([]byte, error) {
	if len(plain) == 0 || len(plain) > MaxValue {
		return nil, abi.NewError(CodeValueInvalid, fmt.Sprintf("a secret must have between 1 and %d bytes", MaxValue), "check what is to be stored")
	}
	text, err := pack(connectionID, field, plain)
	if err != nil {
		return nil, err
	}
	defer clear(text)
	var sealed bytes.Buffer
	w, err := age.Encrypt(&sealed, v.identity.Recipient())
	if err == nil {
		_, err = w.Write(text)
		err = errors.Join(err, w.Close())
	}
	if err != nil {
		return nil, fmt.Errorf("seal a secret: %w", err)
	}
	return sealed.Bytes(), nil
}

// Unseal decrypts a result of Seal for the same connection and field. The caller owns
// the secret and zeroes it. Errors: vault.key_wrong, vault.damaged, vault.misplaced.
func (v *Vault) Unseal(connectionID, field string, sealed []byte) ([]byte, error) {
	if len(sealed) > maxSealed {
		return nil, damaged(field)
	}
	r, err := age.Decrypt(bytes.NewReader(sealed), v.identity)
	if err != nil {
		if _, other := errors.AsType[*age.NoIdentityMatchError](err); other {
			return nil, abi.NewError(CodeKeyWrong, "the stored credential was sealed with another key",
				"put the key of this data folder back, or set the credential again").
				WithDetail("field " + field + ", key in " + v.place)
		}
		return nil, damaged(field)
	}
	text := make([]byte, len(sealed)) // the plaintext is shorter than the ciphertext
	defer clear(text)
	n, err := io.ReadFull(r, text)
	if !errors.Is(err, io.ErrUnexpectedEOF) {
		return nil, damaged(field)
	}
	c, f, value, ok := unpack(text[:n])
	if !ok {
		return nil, damaged(field)
	}
	if c != connectionID || f != field {
		return nil, abi.NewError(CodeMisplaced, "the stored credential belongs to another connection or field",
			"somebody changed the store: set the credential again, and find out who").WithDetail("field " + field)
	}
	return bytes.Clone(value), nil
}

// damaged does not wrap age's error, whose text may quote its input.
func damaged(field string) error {
	return abi.NewError(CodeDamaged, "the stored credential is damaged", "set the credential again").WithDetail("field " + field)
}
