package records

import (
	"bytes"
	"encoding/json"
	"errors"

	"github.com/pdpp-host/pdpp-host/host/api/wire"
)

// encode returns an answer as JSON. The JSON of a record goes into it as it is stored, byte for
// byte (RD-06.3): encoding/json would read it and write it once more.
func encode(answer any) ([]byte, error) {
	switch a := answer.(type) {
	case *page:
		return a.encode()
	case *single:
		shown := *a
		shown.Data = holeOf(a.Data)
		var out bytes.Buffer
		err := newRowWriter(&out).write(&shown, a.Data)
		return out.Bytes(), err
	}
	return wire.Encode(answer)
}

// hole stands for the JSON of a record. It is found again as the value of a member: a text has no
// quotation mark in it that is not escaped.
const hole, holeInRow = "0", `,"data":0,`

func holeOf(data json.RawMessage) json.RawMessage {
	if len(data) == 0 {
		return nil
	}
	return json.RawMessage(hole)
}

// aroundHole returns what is before a hole and what is behind it.
func aroundHole(text []byte, member, hole string) (before, after []byte, err error) {
	at := bytes.Index(text, []byte(member))
	if at < 0 {
		return nil, nil, errors.New("the answer has no place for its records")
	}
	at += len(member) - len(hole) - 1
	return text[:at], text[at+len(hole):], nil
}

// rowWriter writes answers about records. It has one buffer for all of them.
type rowWriter struct {
	to      *bytes.Buffer
	one     bytes.Buffer
	encoder *json.Encoder // into one
}

func newRowWriter(to *bytes.Buffer) *rowWriter {
	w := &rowWriter{to: to}
	w.encoder = wire.NewEncoder(&w.one)
	return w
}

// write writes an answer with the JSON of a record in its hole; nil: it has none.
func (w *rowWriter) write(answer any, data []byte) error {
	w.one.Reset()
	if err := w.encoder.Encode(answer); err != nil {
		return err
	}
	before, after := w.one.Bytes(), []byte(nil)
	if len(data) > 0 {
		var err error
		if before, after, err = aroundHole(before, holeInRow, hole); err != nil {
			return err
		}
	}
	w.to.Write(before)
	w.to.Write(data)
	w.to.Write(after)
	return nil
}

// rowBytes is about how long a row is without its record.
const rowBytes = 384

func (p *page) encode() ([]byte, error) {
	list := *p.List
	list.Data = []row{}
	shell := *p
	shell.List = &list
	text, err := wire.Encode(&shell)
	if err != nil {
		return nil, err
	}
	before, after, err := aroundHole(text, `,"data":[],`, "[]")
	if err != nil {
		return nil, err
	}
	size := len(text)
	for i := range p.Data {
		size += rowBytes + len(p.Data[i].Data)
	}
	out := bytes.NewBuffer(make([]byte, 0, size))
	out.Write(before)
	out.WriteByte('[')
	rows := newRowWriter(out)
	for i := range p.Data {
		if i > 0 {
			out.WriteByte(',')
		}
		r := p.Data[i]
		r.Data = holeOf(p.Data[i].Data)
		if err := rows.write(&r, p.Data[i].Data); err != nil {
			return nil, err
		}
		out.Truncate(out.Len() - 1) // the end of its line
	}
	out.WriteByte(']')
	out.Write(after)
	return out.Bytes(), nil
}
