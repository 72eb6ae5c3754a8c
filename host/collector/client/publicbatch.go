package client

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/abi/device"
	"github.com/pdpp-host/pdpp-host/storage"
)

// Partly is a batch that a public host took but for some of its records.
type Partly struct{ Aside []storage.SetAside }

// Error says how many records the host refused.
func (p *Partly) Error() string {
	return "the host refused " + strconv.Itoa(len(p.Aside)) + " records or streams of the batch"
}

// maxRefusals is how many records of one stream a public host refuses in one batch before it is
// taken to refuse the stream.
const maxRefusals = 50

// publicRecord is one record of a batch, in the form that is sent.
type publicRecord struct {
	members     map[string]json.RawMessage
	stream, key string // as they were collected
	moved       bool   // it deletes what the record in front of it was, and goes with that alone
}

// publicBatch is a batch in the form of the public protocol.
type publicBatch struct {
	batch   *device.Batch
	body    []byte
	records []publicRecord
}

// asPublicBatch writes a batch as the public protocol demands: a deletion has no data, a record that had another key is followed
// by the deletion of that one, unless its stream is append-only, and a key of several fields is a list of them. A batch that
// needs no change keeps its hash and its id; a changed one gets new ones.
func asPublicBatch(body []byte, b *device.Batch, declared func(stream string) *abi.Stream) (*publicBatch, error) {
	var all []map[string]json.RawMessage
	if err := json.Unmarshal(b.Records, &all); err != nil {
		return nil, err
	}
	out := &publicBatch{batch: b, body: body}
	changed := false
	for _, members := range all {
		r := publicRecord{members: members}
		var op, from string
		_ = json.Unmarshal(members["op"], &op) // no text is no deletion
		if _, has := members["data"]; has && op == device.OpDelete {
			delete(members, "data")
			changed = true
		}
		if err := errors.Join(json.Unmarshal(members["stream"], &r.stream), json.Unmarshal(members["record_key"], &r.key)); err != nil {
			return nil, err
		}
		stream := declared(r.stream)
		fields := len(stream.PrimaryKey)
		changed = r.listKey(fields) || changed
		out.records = append(out.records, r)
		if _, has := members["moved_from"]; !has {
			continue
		}
		if err := json.Unmarshal(members["moved_from"], &from); err != nil {
			return nil, err
		}
		gone := publicRecord{stream: r.stream, key: from, moved: true, members: map[string]json.RawMessage{
			"stream": members["stream"], "record_key": members["moved_from"], "emitted_at": members["emitted_at"], "op": json.RawMessage(`"` + device.OpDelete + `"`),
		}}
		gone.listKey(fields)
		delete(members, "moved_from")
		if changed = true; !stream.AppendOnly() { // RT-07.2
			out.records = append(out.records, gone)
		}
	}
	if !changed {
		return out, nil
	}
	return out, out.rewrite()
}

// listKey writes a key of several fields as a list of them, and reports whether it is one.
func (r *publicRecord) listKey(fields int) bool {
	var parts []json.RawMessage
	if fields < 2 || json.Unmarshal([]byte(r.key), &parts) != nil || len(parts) != fields {
		return false
	}
	r.members["record_key"] = json.RawMessage(r.key)
	return true
}

// rewrite makes the body anew from the records.
func (p *publicBatch) rewrite() (err error) {
	all := make([]map[string]json.RawMessage, len(p.records))
	for i := range p.records {
		all[i] = p.records[i].members
	}
	b := p.batch
	if b.Records, err = json.Marshal(all); err != nil {
		return err
	}
	if b.BodyHash, err = device.Hash(b.Records); err != nil {
		return err
	}
	b.BatchID = device.BatchID(b.ConnectorID, b.SourceInstanceID, b.BatchSeq, b.BodyHash)
	p.body, err = json.Marshal(b)
	return err
}

// leaveOut takes records out of the batch.
func (p *publicBatch) leaveOut(out func(r *publicRecord) bool) {
	p.records = slices.DeleteFunc(slices.Clone(p.records), func(r publicRecord) bool { return out(&r) })
}

// refusedRecord is what a public host says of a batch that it refuses over one record: it names
// the record by its place, and then what is wrong.
var refusedRecord = regexp.MustCompile(`^400 ` + device.CodeBadRequest + `, records\[(\d{1,9})\](.*)$`)

// undeclared is what such a host says of a stream that its own connector does not declare.
const undeclared = "stream is not declared"

// refusedOver returns the place of the record over which a public host refused a batch of n.
func refusedOver(err error, n int) (at int, why string, named bool) {
	f, ok := FailureOf(err)
	if !ok || f.status != http.StatusBadRequest || f.Code != device.CodeBadRequest {
		return 0, "", false
	}
	m := refusedRecord.FindStringSubmatch(f.Err.Detail)
	if m == nil {
		return 0, "", false
	}
	at, numErr := strconv.Atoi(m[1])
	return at, strings.TrimSpace(strings.TrimPrefix(m[2], ".")), numErr == nil && at < n
}

// sendPublicBatch sends a batch to a public host, which refuses the whole of it over one record:
// then again without that record, or without its stream when the host takes none of it. It returns
// Partly when it left something out.
func (l *Lane) sendPublicBatch(ctx context.Context, body []byte, b *device.Batch) error {
	p, err := asPublicBatch(body, b, l.stream)
	if err != nil {
		return badShape("its records have no keys")
	}
	aside := l.leaveOutRefused(p)
	for len(p.records) > 0 {
		if len(aside) > 0 {
			if err := p.rewrite(); err != nil {
				return badShape("its records cannot be written")
			}
		}
		err := l.postBatch(ctx, p.body, b, int64(len(p.records)))
		if err == nil {
			break
		}
		at, why, named := refusedOver(err, len(p.records))
		if !named {
			return err
		}
		r := &p.records[at]
		aside = append(aside, storage.SetAside{Stream: r.stream, Key: r.key, Why: why})
		if !l.refusesStream(r.stream, why, aside) {
			end := at + 1
			if end < len(p.records) && p.records[end].moved {
				end++
			}
			p.records = slices.Delete(slices.Clone(p.records), at, end)
			continue
		}
		aside = slices.DeleteFunc(aside, func(a storage.SetAside) bool { return a.Stream == r.stream })
		aside = append(aside, l.leaveOutRefused(p)...)
	}
	if len(aside) > 0 {
		return &Partly{aside}
	}
	return nil
}

// refusesStream reports whether the host takes no record of a stream, as far as it has shown, and
// remembers that for the rest of the execution.
func (l *Lane) refusesStream(stream, why string, aside []storage.SetAside) bool {
	refused := 0
	for i := range aside {
		if aside[i].Stream == stream {
			refused++
		}
	}
	if !strings.HasPrefix(why, undeclared) && refused < maxRefusals {
		return false
	}
	if l.refuses == nil {
		l.refuses = map[string]string{}
	}
	l.refuses[stream] = why
	return true
}

// leaveOutRefused takes the records of streams out that the host takes none of, and returns what
// is to be kept of that: one entry a stream.
func (l *Lane) leaveOutRefused(p *publicBatch) (aside []storage.SetAside) {
	for stream, why := range l.refuses {
		before := len(p.records)
		p.leaveOut(func(r *publicRecord) bool { return r.stream == stream })
		if len(p.records) < before {
			aside = append(aside, storage.SetAside{Stream: stream, Why: why, Whole: true})
		}
	}
	return aside
}

// withhold takes the cursors out of a state that cover records of streams which the host refuses,
// and reports whether there are any.
func (l *Lane) withhold(state map[string]json.RawMessage) bool {
	before := len(state)
	for _, stream := range l.Withhold {
		for _, parent := range l.stream(stream).Parents() {
			delete(state, parent)
		}
	}
	return len(state) < before
}
