package records

import (
	"bytes"
	"encoding/json"
	"errors"
	"slices"

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
		return around(&shown, a.Data)
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

// around encodes an answer and puts the JSON of a record into its hole; nil: it has none.
func around(answer any, data []byte) ([]byte, error) {
	text, err := wire.Encode(answer)
	if err != nil || len(data) == 0 {
		return text, err
	}
	return insert(text, holeInRow, hole, data)
}

// insert puts bytes where a hole is within what is around it.
func insert(text []byte, around, hole string, with []byte) ([]byte, error) {
	at := bytes.Index(text, []byte(around))
	if at < 0 {
		return nil, errors.New("the answer has no place for its records")
	}
	at += len(around) - len(hole) - 1
	return slices.Replace(text, at, at+len(hole), with...), nil
}

func (p *page) encode() ([]byte, error) {
	rows := []byte{'['}
	for i := range p.Data {
		r := p.Data[i]
		r.Data = holeOf(p.Data[i].Data)
		one, err := around(&r, p.Data[i].Data)
		if err != nil {
			return nil, err
		}
		if i > 0 {
			rows = append(rows, ',')
		}
		rows = append(rows, bytes.TrimSuffix(one, []byte("\n"))...)
	}
	list := *p.List
	list.Data = []row{}
	shell := *p
	shell.List = &list
	text, err := wire.Encode(&shell)
	if err != nil {
		return nil, err
	}
	return insert(text, `,"data":[],`, "[]", append(rows, ']'))
}
