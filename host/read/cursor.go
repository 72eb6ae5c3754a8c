package read

import (
	"context"
	"crypto/aes"
	"crypto/cipher"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"io"
	"strings"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/host/read/plan"
)

// cursorKey names the key of page cursors in the store.
const cursorKey = "page_cursor"

// How long cursors live (RD-16.3, RD-27.4), and how long one may be.
const (
	pagesLive    = 24 * time.Hour
	searchesLive = 10 * time.Minute
	mostCursor   = 1 << 16
)

// sealer makes cursors of one request, and reads those that were made for one like it.
type sealer struct {
	aead   cipher.AEAD
	bound  []byte // what a cursor is bound to: route, scope and request
	now    time.Time
	live   time.Duration // 0: for ever
	late   error         // of one that is older
	random io.Reader
}

// sealer returns the sealer of a request. Whatever differs in bound makes other cursors.
func (r *Reader) sealer(ctx context.Context, route string, live time.Duration, scope *Scope, request any) (*sealer, error) {
	key, err := r.Store.ServerKey(ctx, cursorKey, r.Random)
	if err != nil {
		return nil, err
	}
	block, err := aes.NewCipher(key)
	if err != nil {
		return nil, err
	}
	aead, err := cipher.NewGCM(block)
	if err != nil {
		return nil, err
	}
	text, err := json.Marshal([]any{route, scope, request})
	if err != nil {
		return nil, err
	}
	sum := sha256.Sum256(text)
	return &sealer{aead, sum[:], r.Now(), live, tooOld(), r.Random}, nil
}

// seal hides a position (RD-16.1).
func (s *sealer) seal(position []byte) (string, error) {
	nonce := make([]byte, s.aead.NonceSize())
	if _, err := io.ReadFull(s.random, nonce); err != nil {
		return "", err
	}
	plain := binary.BigEndian.AppendUint64(make([]byte, 0, 8+len(position)), uint64(s.now.Unix())) //nolint:gosec // after 1970
	return base64.RawURLEncoding.EncodeToString(s.aead.Seal(nonce, nonce, append(plain, position...), s.bound)), nil
}

// open returns the position of a cursor that was made for this request.
func (s *sealer) open(cursor string) ([]byte, error) {
	sealed, err := base64.RawURLEncoding.Strict().DecodeString(cursor)
	size := s.aead.NonceSize()
	// A decoder passes over line ends, which no cursor has.
	if err != nil || len(cursor) > mostCursor || len(sealed) < size || strings.ContainsAny(cursor, "\r\n") {
		return nil, foreignCursor()
	}
	plain, err := s.aead.Open(nil, sealed[:size], sealed[size:], s.bound)
	if err != nil || len(plain) < 8 {
		return nil, foreignCursor()
	}
	if s.live > 0 && s.now.Sub(time.Unix(int64(binary.BigEndian.Uint64(plain)), 0)) > s.live { //nolint:gosec // it was sealed here
		return nil, s.late
	}
	return plain[8:], nil
}

func tooOld() error {
	return abi.NewError(CodeCursor, "the cursor is too old: begin again without one", "")
}

func foreignCursor() error {
	return abi.NewError(CodeCursor, "the cursor is of another request: begin again without one", "")
}

// position is a place in a merged list: the last record that was shown.
type position struct {
	Sort       []byte
	Key        string
	Connection string // by id
}

// bytes are the place. Where what orders the list is hidden they are as many whatever it is: the
// length of a cursor would tell that of a value (Invariant 9).
func (p *position) bytes(hidden bool) []byte {
	var b []byte
	left := binary.MaxVarintLen16 - 1 + plan.MostSort
	for i, part := range [][]byte{p.Sort, []byte(p.Key), []byte(p.Connection)} {
		b = append(binary.AppendUvarint(b, uint64(len(part))), part...)
		if i == 0 {
			left -= len(b)
		}
	}
	if hidden {
		b = append(b, make([]byte, left)...)
	}
	return b
}

func readPosition(b []byte) (*position, error) {
	var parts [3][]byte
	for i := range parts {
		n, size := binary.Uvarint(b)
		if size <= 0 || n > uint64(len(b)-size) {
			return nil, foreignCursor()
		}
		parts[i], b = b[size:size+int(n)], b[size+int(n):] //nolint:gosec // within b
	}
	return &position{parts[0], string(parts[1]), string(parts[2])}, nil
}
