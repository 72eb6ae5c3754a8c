package sdk

import (
	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/sdk/internal/swar"
	"github.com/pdpp-host/pdpp-host/sdk/jsonappend"
)

// Emit sends the record and empties the builder. The key consists of the fields that
// the manifest's primary_key names, an array when it names several. Emit sends nothing
// and returns nil for a record that the scope leaves out, for one above
// abi.MaxRecordBytes, and for one whose key is missing or invalid. It counts the last
// two cases and reports them to the host with SKIP_RESULT. An error means that the run
// can no longer succeed: return it.
func (r *Record) Emit() error {
	if r.off {
		if r.s == nil {
			return undeclared(r.name)
		}
		return nil
	}
	h, s := r.h, r.s
	if s.sealed {
		r.Reset()
		return sealedError(s)
	}
	h.key = appendKey(h.key[:0], r.parts)
	var err error
	switch {
	case len(h.key) == 0:
		s.given.Withheld++
		err = h.withhold(s, withheldNoKey, nil, 0)
	case !goodKey(h.key):
		s.given.Withheld++
		err = h.withhold(s, withheldBadKey, nil, 0)
	case r.late || !s.allows(h.key):
		s.leftOut(r.late && s.allows(h.key))
	default:
		for _, i := range r.drift {
			s.misfits[i]++
		}
		r.data = append(r.data, '}')
		err = h.record(s, h.key, r.data, r.from)
	}
	r.Reset()
	return err
}

// leftOut counts a record outside the scope, and whether its time alone is.
func (s *stream) leftOut(untimely bool) {
	if s.given.Outside++; untimely {
		s.given.Untimely++
	}
}

// sealedError is the error for a record after its lane's coverage.
func sealedError(s *stream) error {
	return abi.NewError(abi.CodeCoverageInvalid, "a record after the stream's lane was closed",
		"close the lane when its last record is emitted").WithDetail(s.name)
}

// appendLine appends JSON and replaces each line feed, which is white space there, with
// a space: a record is one line.
func appendLine(dst, json []byte) []byte {
	from := len(dst)
	dst = append(dst, json...)
	if swar.HasNewline(json) {
		for i := from; i < len(dst); i++ {
			if dst[i] == '\n' {
				dst[i] = ' '
			}
		}
	}
	return dst
}

// EmitRaw emits a record from finished data: a JSON object that the connector vouches
// for as for Record.Raw, with key the text of its one primary_key field. It is the
// fastest way out of a guest. Filters apply: by key at no cost, by field and time after
// parsing the data. Results as for Record.Emit.
func (h *Host) EmitRaw(stream, key string, data []byte) error {
	s := h.stream(stream)
	if s == nil {
		return undeclared(stream)
	}
	if len(s.primaryKey) != 1 {
		_, err := s.textKey(nil, []string{key})
		return err
	}
	if key == "" {
		s.given.Withheld++
		return h.withhold(s, withheldNoKey, nil, 0)
	}
	h.key = jsonappend.String(h.key[:0], key)
	return h.emitRaw(s, data)
}

// EmitRawKey is EmitRaw for a composite key: one text for each field of
// primary_key, in its order.
func (h *Host) EmitRawKey(stream string, key []string, data []byte) error {
	s := h.stream(stream)
	if s == nil {
		return undeclared(stream)
	}
	var err error
	if h.key, err = s.textKey(h.key[:0], key); err != nil {
		return err
	}
	return h.emitRaw(s, data)
}

// emitRaw emits data under the key in h.key.
func (h *Host) emitRaw(s *stream, data []byte) error {
	switch {
	case !s.wanted:
		return nil
	case !s.allows(h.key):
		s.leftOut(false)
		return nil
	case s.sealed:
		return sealedError(s)
	case !goodKey(h.key):
		s.given.Withheld++
		return h.withhold(s, withheldBadKey, nil, 0)
	}
	if s.timed || s.fields != nil {
		kept, err := h.filter(s, data)
		if err != nil {
			return err
		}
		if kept == nil {
			s.leftOut(true)
			return nil
		}
		data = kept
	}
	if swar.HasNewline(data) {
		h.filterBuffer = appendLine(h.filterBuffer[:0], data)
		data = h.filterBuffer
	}
	return h.record(s, h.key, data, nil)
}

// filter applies the time range and the fields of the scope to a made object.
// It returns nil when the record is outside.
func (h *Host) filter(s *stream, data []byte) ([]byte, error) {
	v, err := h.filterDoc.Parse(data)
	if err != nil {
		return nil, abi.NewError(abi.CodeSyntax, "the data of a record is not JSON", "").WithDetail(s.name).Wrap(err)
	}
	if s.timed && !s.inTime(v.Get(s.timeField).View()) {
		return nil, nil
	}
	if s.fields == nil {
		return data, nil
	}
	b := append(h.filterBuffer[:0], '{')
	for it := v.Children(); it.Next(); {
		if name := it.Name().View(); s.fields[name] {
			b = it.Value().AppendJSON(jsonappend.Name(b, name))
		}
	}
	h.filterBuffer = append(b, '}')
	return h.filterBuffer, nil
}

// Delete emits a tombstone (RT-07): the record of that key, one text for each field of
// primary_key, no longer exists at the source. Only for mutable streams. A key outside
// the scope's resources is dropped.
func (h *Host) Delete(stream string, key ...string) error {
	s := h.stream(stream)
	if s == nil {
		return undeclared(stream)
	}
	if s.appendOnly {
		return abi.NewError(abi.CodeDeleteOnAppendOnly, "a tombstone for an append-only stream",
			"nothing is ever deleted there").WithDetail(stream)
	}
	var err error
	if h.key, err = s.textKey(h.key[:0], key); err != nil {
		return err
	}
	if !s.wanted || !s.allows(h.key) {
		return nil
	}
	if s.sealed {
		return sealedError(s)
	}
	if !goodKey(h.key) {
		return h.withhold(s, withheldBadKey, nil, 0)
	}
	if h.pending == 0 {
		h.stampNow()
	}
	from := len(h.batch)
	h.batch = append(h.batch, s.prefix...)
	h.batch = append(h.batch, h.key...)
	h.batch = append(h.batch, `,"op":"delete","emitted_at":`...)
	h.batch = append(h.batch, h.stamp...)
	h.batch = append(h.batch, '}', '\n')
	return h.appended(s, h.key, from)
}
