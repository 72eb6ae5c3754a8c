package plan

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"hash"
	"slices"

	"github.com/pdpp-host/pdpp-host/host/read/field"
	"github.com/pdpp-host/pdpp-host/storage"
)

// Hasher makes of a record's fields the hashes by which their changes are told apart. They
// are keyed, so that no connector makes two values look the same. It is for one goroutine at
// a time.
type Hasher struct {
	key  []byte
	sum  hash.Hash
	out  []byte
	tags map[string]uint32
}

// NewHasher returns the hasher of a store's key.
func NewHasher(key []byte) *Hasher {
	return &Hasher{key: key, sum: sha256.New(), tags: map[string]uint32{}}
}

// mostTags bounds the names whose tags are remembered: a hostile record has any.
const mostTags = 4096

// Tag stands for the name of a field.
func (h *Hasher) Tag(name string) uint32 {
	if tag, ok := h.tags[name]; ok {
		return tag
	}
	if len(h.tags) >= mostTags {
		clear(h.tags)
	}
	tag := uint32(h.of(name, nil)) //nolint:gosec // a part of it is meant
	h.tags[name] = tag
	return tag
}

// of hashes a name, or a value of that name.
func (h *Hasher) of(name string, value []byte) uint64 {
	h.sum.Reset()
	h.sum.Write(h.key)
	h.out = append(binary.AppendUvarint(h.out[:0], uint64(len(name))), name...)
	h.sum.Write(h.out)
	h.sum.Write(value)
	h.out = h.sum.Sum(h.out[:0])
	return binary.BigEndian.Uint64(h.out)
}

// mostFields is how many fields of a record are told apart. Those behind them are one.
const mostFields = 256

// fields returns the hashes of a record's fields, by tag. A name that stands twice has one hash
// of both values.
func (h *Hasher) fields(data []byte) []storage.ReadField {
	all := make([]storage.ReadField, 0, 16) //nolint:mnd // as many as most records have
	field.Members(data, func(name, value []byte) bool {
		plain := field.Name(name)
		f := storage.ReadField{Tag: h.Tag(plain), Hash: max(h.of(plain, value), 1)}
		all = append(all, f)
		return true
	})
	slices.SortStableFunc(all, func(a, b storage.ReadField) int { return cmp.Compare(a.Tag, b.Tag) })
	out := all[:0]
	for _, f := range all {
		if n := len(out); n > 0 && (out[n-1].Tag == f.Tag || n == mostFields) {
			out[n-1].Hash = max(out[n-1].Hash*31+f.Hash, 1) //nolint:mnd // their order counts
			continue
		}
		out = append(out, f)
	}
	return out
}

// blobs returns the references to artifacts among a record's fields, each once.
func (h *Hasher) blobs(data []byte) (all []storage.ReadBlobRef) {
	if !field.MayRefer(data) {
		return nil
	}
	field.Members(data, func(name, value []byte) bool {
		if sum, ok := BlobSum(field.BlobID(value)); ok {
			all = append(all, storage.ReadBlobRef{SHA256: sum, Field: h.Tag(field.Name(name))})
		}
		return true
	})
	slices.SortFunc(all, func(a, b storage.ReadBlobRef) int {
		return cmp.Or(bytes.Compare(a.SHA256[:], b.SHA256[:]), cmp.Compare(a.Field, b.Field))
	})
	return slices.Compact(all)
}

// Link is what a reference to a record by a field is found by.
func (h *Hasher) Link(field, key string) int64 {
	return int64(h.of(field, []byte(key))) //nolint:gosec // its bits are meant
}

// links returns what the references of a record by some fields are found by, each once.
func (h *Hasher) links(data []byte, fields []string) (all []int64) {
	if fields == nil {
		return nil
	}
	for i, value := range field.Pick(data, fields) {
		if key, ok := field.Key(value); ok {
			all = append(all, h.Link(fields[i], key))
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// BlobSum is the hash that an artifact's id is; false: it is none.
func BlobSum(id string) (sum [sha256.Size]byte, ok bool) {
	if !field.IsBlobID(id) {
		return sum, false
	}
	n, err := hex.Decode(sum[:], []byte(id))
	return sum, err == nil && n == len(sum)
}
