package dev

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/pdpp-host/pdpp-host/testplugins/contract"
)

// The bounds of what a comparison shows.
const (
	mostChanges = 5       // records of a stream
	mostLine    = 8 << 20 // bytes of one exported record
)

// Stream is how the records of a stream differ from those of the round before.
type Stream struct {
	Name    string    `json:"stream"`
	Records int64     `json:"records"`
	New     int64     `json:"new"`
	Changed int64     `json:"changed"`
	Gone    int64     `json:"gone"`
	Shown   []*Record `json:"shown,omitempty"` // the first of those that differ
	Null    []string  `json:"null,omitempty"`  // fields that have no value in any record
}

// Record is a record that differs. Of a new one Was is empty, of one that is gone Is.
type Record struct {
	Key    string  `json:"key"`
	Fields []Field `json:"fields,omitempty"` // of a changed one, in the order of their names
	Kind   string  `json:"kind"`             // "new", "changed" or "gone"
}

// Field is a value that differs, as JSON; "" where there is none.
type Field struct {
	Name string `json:"name"`
	Was  string `json:"was"`
	Is   string `json:"is"`
}

// compare reads two exports, of which last need not exist, in bounded memory: both are in the
// order of the keys.
func compare(last, next string) ([]*Stream, error) {
	names := map[string]bool{}
	for _, dir := range []string{last, next} {
		entries, err := os.ReadDir(dir)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
		for _, e := range entries {
			if name, ok := strings.CutSuffix(e.Name(), ".jsonl"); ok {
				names[name] = true
			}
		}
	}
	streams := make([]*Stream, 0, len(names))
	for _, name := range slices.Sorted(maps.Keys(names)) {
		s, err := compareStream(name, filepath.Join(last, name+".jsonl"), filepath.Join(next, name+".jsonl"))
		if err != nil {
			return nil, err
		}
		streams = append(streams, s)
	}
	return streams, nil
}

func compareStream(name, last, next string) (*Stream, error) {
	was, err := open(last)
	is, err2 := open(next)
	defer was.close()
	defer is.close()
	if err = errors.Join(err, err2); err != nil {
		return nil, err
	}
	s := &Stream{Name: name}
	var nulls contract.Nulls
	was.next()
	is.next()
	for was.more || is.more {
		if is.more && (!was.more || is.Key <= was.Key) {
			nulls.Add(is.Data)
		}
		switch order := strings.Compare(was.Key, is.Key); {
		case !was.more || is.more && order > 0:
			s.Records++
			s.New++
			s.show(&Record{Key: is.Key, Kind: "new"})
			is.next()
		case !is.more || order < 0:
			s.Gone++
			s.show(&Record{Key: was.Key, Kind: "gone"})
			was.next()
		default:
			s.Records++
			if fields := differences(was.Data, is.Data); len(fields) > 0 {
				s.Changed++
				s.show(&Record{Key: is.Key, Kind: "changed", Fields: fields})
			}
			was.next()
			is.next()
		}
	}
	s.Null = nulls.Fields()
	return s, errors.Join(was.err, is.err)
}

func (s *Stream) show(r *Record) {
	if len(s.Shown) < mostChanges {
		s.Shown = append(s.Shown, r)
	}
}

// differences lists the fields of two records that differ.
func differences(was, is json.RawMessage) (fields []Field) {
	if bytes.Equal(was, is) {
		return nil
	}
	var a, b map[string]json.RawMessage
	if json.Unmarshal(was, &a) != nil || json.Unmarshal(is, &b) != nil {
		return []Field{{"", string(was), string(is)}}
	}
	names := maps.Clone(a)
	maps.Copy(names, b)
	for _, name := range slices.Sorted(maps.Keys(names)) {
		if !bytes.Equal(a[name], b[name]) {
			fields = append(fields, Field{name, string(a[name]), string(b[name])})
		}
	}
	return fields
}

// export reads an exported stream, record by record.
type export struct {
	Key  string          `json:"key"`
	Data json.RawMessage `json:"data"`

	file  *os.File
	lines *bufio.Scanner
	more  bool
	err   error
}

// open opens an export; one that is not there is empty.
func open(path string) (*export, error) {
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return &export{}, nil
	}
	if err != nil {
		return &export{}, err
	}
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, mostLine)
	return &export{file: f, lines: lines}, nil
}

func (e *export) next() {
	e.Key, e.Data, e.more = "", nil, false
	if e.lines == nil || e.err != nil {
		return
	}
	if !e.lines.Scan() {
		e.err = e.lines.Err()
		return
	}
	e.err = json.Unmarshal(e.lines.Bytes(), e)
	e.more = e.err == nil
}

func (e *export) close() {
	if e.file != nil {
		_ = e.file.Close()
	}
}
