package read

import (
	"context"
	"slices"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/host/read/field"
	"github.com/pdpp-host/pdpp-host/host/read/index"
	"github.com/pdpp-host/pdpp-host/host/read/plan"
	"github.com/pdpp-host/pdpp-host/storage"
)

// CodeNoBlob is the code of an artifact to which nothing refers that the reader sees, and of
// one that is not there.
const CodeNoBlob abi.Code = "read.blob_not_found"

// Records that refer to an artifact are looked at in chunks.
const (
	usesChunk = 100
	usesBytes = 1 << 20
)

// Blob is an artifact that a record refers to.
type Blob struct {
	ID           string // the SHA-256 of its bytes, in hex
	MediaType    string // as whoever collected it says
	Bytes        int64
	Stream       string // of a record that refers to it
	ConnectionID string
	Connection   string // its name
	Connector    string
}

// Blobs returns the artifact of that id in each connection that has it, where a record that
// the scope shows refers to it in a field that it shows (RD-29.1). There is at least one, else
// it is read.blob_not_found: nothing else tells whether there is such an artifact (Invariant 9).
// Records of any stream refer to it where f names none.
func (r *Reader) Blobs(ctx context.Context, scope *Scope, id string, f From) ([]Blob, error) {
	return bounded(ctx, atMost, func(ctx context.Context) ([]Blob, error) {
		sum, ok := plan.BlobSum(id)
		connections, err := r.connections(ctx, scope, nil, f.Connections)
		if err != nil {
			return nil, err
		}
		sources, err := r.referring(ctx, scope, sum, connections)
		if err != nil {
			return nil, err
		}
		h, err := index.Hasher(ctx, r.Store, r.Random)
		if err != nil {
			return nil, err
		}
		var found []Blob
		for i := range sources {
			s := &sources[i]
			if f.Connector != "" && !abi.SameConnector(s.Connector, f.Connector) || f.Stream != "" && s.Name != f.Stream || slices.ContainsFunc(found, func(b Blob) bool { return b.ConnectionID == s.ConnectionID }) {
				continue
			}
			q := s.references(sum, h)
			if q == nil {
				continue
			}
			one, err := r.used(ctx, s, id, q)
			if err != nil {
				return nil, err
			}
			if one != nil && ok {
				found = append(found, Blob{id, one.MediaType, one.Bytes, s.Name, s.ConnectionID, s.Connection, s.Connector})
			}
		}
		if found == nil {
			return nil, abi.NewError(CodeNoBlob, "no record that is seen refers to such a blob", "take its id from a record")
		}
		return found, nil
	})
}

// references asks for the records of a source that refer to an artifact, as far as it is seen. nil:
// none does within the scope's time, or another field than the scope's tells the time by now.
func (s *source) references(sum [32]byte, h *plan.Hasher) *storage.ReadBlobs {
	q := &storage.ReadBlobs{SHA256: sum, StreamID: s.ID, Limit: usesChunk, Bytes: usesBytes}
	if s.scope != nil {
		q.Keys, q.Fields = s.scope.Keys, []int64{}
		for _, name := range s.scope.Fields {
			q.Fields = append(q.Fields, int64(h.Tag(name)))
		}
		if s.scope.Time != nil {
			var fits bool
			if q.From, q.To, fits = s.scope.Time.span(); !fits || !s.timed() {
				return nil
			}
		}
	}
	return q
}

// referring returns the sources with records that may refer to an artifact. A client's are all
// that it sees: how long it takes tells nothing of the others.
func (r *Reader) referring(ctx context.Context, scope *Scope, sum [32]byte, connections []string) ([]source, error) {
	q := storage.ReadStreams{Connections: connections}
	if scope.Owner {
		left, err := r.Index.All(ctx, r.Wait)
		if err == nil && left.Any() {
			err = index.Behind()
		}
		if err == nil {
			q.IDs, err = r.Store.ReadBlobStreams(ctx, sum)
		}
		if err != nil || len(q.IDs) == 0 {
			return nil, err
		}
	}
	streams, _, err := r.Index.Ready(ctx, r.Wait, func(ctx context.Context) ([]storage.ReadStream, error) {
		all, err := r.Store.ReadStreams(ctx, q)
		return slices.DeleteFunc(all, func(one storage.ReadStream) bool { return !scope.sees(&one) }), err
	})
	if err != nil {
		return nil, err
	}
	return r.planned(ctx, scope, streams)
}

// used returns a record of a source that is seen, and refers to an artifact that is there; nil: there is none.
func (r *Reader) used(ctx context.Context, s *source, id string, q *storage.ReadBlobs) (*storage.ReadBlobUse, error) {
	for {
		all, more, err := r.Store.ReadBlobUses(ctx, *q)
		if err != nil {
			return nil, err
		}
		for i := range all {
			if one := &all[i]; s.shows(one.Key, []byte(one.Data)) && s.refers([]byte(one.Data), id) {
				return one, nil
			}
		}
		if !more || len(all) == 0 {
			return nil, nil //nolint:nilnil // the end of a walk
		}
		q.After = &all[len(all)-1].BlobPlace
	}
}

// refers reports whether a record refers to an artifact in a field that is seen.
func (s *source) refers(data []byte, id string) (found bool) {
	field.Members(data, func(name, value []byte) bool {
		found = s.grants(field.Name(name)) && field.BlobID(value) == id
		return !found
	})
	return found
}

// BlobPart returns the bytes of an artifact from a place on: at least one, and no more than
// storage.BlobPartBytes, unless the place is its end.
func (r *Reader) BlobPart(ctx context.Context, b *Blob, at int64) ([]byte, error) {
	part, err := r.Store.BlobPart(ctx, b.ConnectionID, b.ID, at/storage.BlobPartBytes)
	if skip := at % storage.BlobPartBytes; err == nil && skip < int64(len(part)) {
		return part[skip:], nil
	}
	if err == nil {
		err = abi.NewError(CodeNoBlob, "the blob has gone", "read the record again")
	}
	return nil, err
}
