package wire

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/ecdh"
	"crypto/hkdf"
	"crypto/sha256"
	"errors"
	"strings"
)

// OpenPush decrypts a push message as the browser does that subscribed with the key and the
// secret (RFC 8188, RFC 8291).
func OpenPush(body []byte, browser *ecdh.PrivateKey, auth []byte) ([]byte, error) {
	const header = 21 // salt, size of a record, length of the key
	if len(body) < header || len(body) < header+int(body[header-1]) {
		return nil, errors.New("the message is too short")
	}
	salt, keyLength := body[:16], int(body[header-1])
	from, cipherText := body[header:header+keyLength], body[header+keyLength:]
	public, err := ecdh.P256().NewPublicKey(from)
	if err != nil {
		return nil, err
	}
	shared, err := browser.ECDH(public)
	if err != nil {
		return nil, err
	}
	ikm, err := hkdf.Key(sha256.New, shared, auth, "WebPush: info\x00"+string(browser.PublicKey().Bytes())+string(from), 32)
	if err != nil {
		return nil, err
	}
	key, err := hkdf.Key(sha256.New, ikm, salt, "Content-Encoding: aes128gcm\x00", 16)
	if err != nil {
		return nil, err
	}
	nonce, err := hkdf.Key(sha256.New, ikm, salt, "Content-Encoding: nonce\x00", 12)
	if err != nil {
		return nil, err
	}
	block, err := aes.NewCipher(key)
	if err != nil {
		return nil, err
	}
	gcm, err := cipher.NewGCM(block)
	if err != nil {
		return nil, err
	}
	plain, err := gcm.Open(nil, nonce, cipherText, nil)
	return []byte(strings.TrimRight(strings.TrimRight(string(plain), "\x00"), "\x02")), err
}
