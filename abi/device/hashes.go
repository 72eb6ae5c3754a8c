package device

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"hash"
	"slices"
	"strconv"
)

// Intact reports whether a batch's body_hash matches its records in one of the forms
// that collectors use: Hash of the records; the same with names in the order of RFC
// 8785; or the hash of the records' envelopes, the only form that the public collector
// sends.
func (b *Batch) Intact() bool {
	if sum, err := Hash(b.Records); err != nil || sum == b.BodyHash {
		return err == nil
	}
	if sum, err := EnvelopesHash(b); err == nil && sum == b.BodyHash {
		return true
	}
	text, err := canonical(b.Records, true)
	return err == nil && Sum256(text) == b.BodyHash
}

// EnvelopesHash returns the hash of a batch as the public collector computes it: the
// hash of an array that holds for each record an envelope with the record's members,
// their hash, and the members that identify the batch. It returns ErrNotRecords if the
// records are not an array of objects.
func EnvelopesHash(b *Batch) (string, error) {
	o, err := outlined(b.Records)
	if err != nil || o.nodes[0].kind != '[' {
		return "", ErrNotRecords
	}
	e := envelopes{form: form{outline: o}, batch: b, sum: sha256.New()}
	e.sum.Write([]byte{'['})
	for at := int32(1); at < o.nodes[0].next; at = o.nodes[at].next {
		if at > 1 {
			e.sum.Write([]byte{','})
		}
		if !e.add(at) {
			return "", ErrNotRecords
		}
	}
	e.sum.Write([]byte{']'})
	return hex.EncodeToString(e.sum.Sum(nil)), nil
}

// envelopes hashes the envelopes of a batch one after another.
type envelopes struct {
	form

	batch *Batch
	sum   hash.Hash
}

// add hashes the envelope of the record at a node.
func (e *envelopes) add(at int32) bool {
	n := e.nodes[at]
	if n.kind != '{' {
		return false
	}
	members := map[string]int32{} // the nodes of the values; the last of equal names counts
	for name := at + 1; name < n.next; name = e.nodes[name+1].next {
		members[string(e.name(name))] = name + 1
	}
	key, ok := members["record_key"]
	if !ok {
		if key, ok = members["key"]; !ok {
			return false
		}
	}
	body := []part{{"connector_id", e.text(e.batch.ConnectorID)}}
	for _, name := range []string{"data", "emitted_at", "stream"} {
		if value, there := members[name]; there {
			body = append(body, part{name, e.canonical(value)})
		}
	}
	body = append(body, part{"record_key", e.canonical(key)})
	whole := append([]part{
		{"batch_id", e.text(e.batch.BatchID)}, {"batch_seq", strconv.AppendInt(nil, e.batch.BatchSeq, 10)},
		{"body_hash", e.text(Sum256(object(body)))}, {"device_id", e.text(e.batch.DeviceID)},
		{"source_instance_id", e.text(e.batch.SourceInstanceID)},
	}, body...)
	e.sum.Write(object(whole))
	return true
}

// canonical returns the canonical form of the value at a node.
func (e *envelopes) canonical(at int32) []byte {
	e.out = nil
	e.value(at)
	return e.out
}

// text returns the canonical form of a string.
func (e *envelopes) text(s string) []byte { return mustCanonical(s) }

// part is one member of an object, its value in canonical form.
type part struct {
	name  string
	value []byte
}

// object writes an object whose names are neither array indices nor escaped, ordered
// by name.
func object(parts []part) []byte {
	parts = slices.SortedFunc(slices.Values(parts), func(x, y part) int { return byUnits([]byte(x.name), []byte(y.name)) })
	out := []byte{'{'}
	for i, p := range parts {
		if i > 0 {
			out = append(out, ',')
		}
		out = append(append(append(append(out, '"'), p.name...), `":`...), p.value...)
	}
	return append(out, '}')
}

// mustCanonical returns the canonical form of a value made of texts and whole numbers.
func mustCanonical(v any) []byte {
	text, err := json.Marshal(v)
	if err == nil {
		text, err = Canonical(text)
	}
	if err != nil {
		panic("device: a text that is no JSON: " + err.Error())
	}
	return text
}

// CommitHash returns the hash of a run's end that both sides of the public protocol
// compute: over its ten members only, each fact reduced to its hashed members, and the
// facts ordered by stream. text is the whole body. It returns an error if text does
// not describe a run's end.
func CommitHash(text []byte) (string, error) {
	var whole map[string]json.RawMessage
	if err := json.Unmarshal(text, &whole); err != nil {
		return "", err
	}
	var facts []map[string]json.RawMessage
	if raw, there := whole["terminal_facts"]; there {
		if err := json.Unmarshal(raw, &facts); err != nil {
			return "", err
		}
	}
	least, err := leastFacts(facts)
	if err != nil {
		return "", err
	}
	ten := map[string]json.RawMessage{"terminal_facts": least}
	for _, name := range []string{
		"collection_boundary", "commit_id", "connector_id", "connector_instance_id", "device_id", "run_id", "source_instance_id", "state_delta", "version",
	} {
		if value, there := whole[name]; there {
			ten[name] = value
		}
	}
	out, err := json.Marshal(ten)
	if err != nil {
		return "", err
	}
	return Hash(out)
}

// leastFacts reduces facts to the members that the hash of a run's end covers.
func leastFacts(facts []map[string]json.RawMessage) (json.RawMessage, error) {
	type fact struct {
		Statuses []string        `json:"coverage_statuses"`
		Scoped   json.RawMessage `json:"scoped,omitempty"`
		Stream   string          `json:"stream"`
	}
	list := make([]fact, len(facts))
	for i, f := range facts {
		if err := json.Unmarshal(f["coverage_statuses"], &list[i].Statuses); err != nil {
			return nil, err
		}
		if err := json.Unmarshal(f["stream"], &list[i].Stream); err != nil {
			return nil, err
		}
		list[i].Statuses = slices.Compact(slices.SortedFunc(slices.Values(list[i].Statuses), func(x, y string) int { return byUnits([]byte(x), []byte(y)) }))
		if s := string(f["scoped"]); s == "true" || s == "false" {
			list[i].Scoped = f["scoped"]
		}
	}
	slices.SortStableFunc(list, func(x, y fact) int { return byLocale(x.Stream, y.Stream) })
	return json.Marshal(list)
}

// byLocale compares stream names as JavaScript's localeCompare does: _ before -, both
// before digits, and digits before letters.
func byLocale(x, y string) int {
	const order = "_-0123456789abcdefghijklmnopqrstuvwxyz"
	at := func(c byte) int {
		for i := range len(order) {
			if order[i] == c {
				return i
			}
		}
		return len(order) + int(c)
	}
	for i := range min(len(x), len(y)) {
		if d := at(x[i]) - at(y[i]); d != 0 {
			return d
		}
	}
	return len(x) - len(y)
}
