package read

import (
	"context"
	"unicode/utf8"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/host/read/field"
)

// Characters of a window (RD-22).
const (
	DefaultWindow = 4096
	MostWindow    = 16384
	MostContext   = 8192 // on each side of what is looked for
)

// Window asks for a part of one text of a record.
type Window struct {
	From

	Key           string
	Field         string
	Offset, Limit int    // in characters; a limit of 0: DefaultWindow
	Query         string // show its first place instead; "": none is looked for
	Before, After int    // characters around it
}

// Part is a part of a text. Its places are in characters: code points.
type Part struct {
	Record // Data is nil

	Text              string
	Start, End, Total int
	Limit             int
	Match, MatchEnd   int // of what was looked for; -1: nothing was
	Warnings          []Warning
}

// Window returns a part of a text. The parts of a value, put together, are the value.
func (r *Reader) Window(ctx context.Context, scope *Scope, w Window) (*Part, error) {
	p := &Part{Match: -1, MatchEnd: -1, Limit: w.Limit}
	switch {
	case w.Field == "":
		return nil, abi.NewError(CodeFieldPath, "a field is needed", "name one")
	case w.Query == "" && (w.Before != 0 || w.After != 0), w.Query != "" && w.Offset != 0:
		return nil, window("a text that is looked for has its place, and no other part has any around it")
	case w.Offset < 0 || w.Limit < 0 || w.Before < 0 || w.After < 0 || w.Before > MostContext || w.After > MostContext:
		return nil, window("a window has an offset, a limit, and up to 8192 characters on each side")
	case w.Limit == 0 && w.Query != "" && w.Before+w.After > 0:
		p.Limit = w.Before + utf8.RuneCountInString(w.Query) + w.After
	case w.Limit == 0:
		p.Limit = DefaultWindow
	}
	if p.Limit > MostWindow {
		p.Limit = MostWindow
		p.Warnings = append(p.Warnings, Warning{Code: WarnClamped, Message: "a window has at most 16384 characters"})
	}
	return bounded(ctx, atMost, func(ctx context.Context) (*Part, error) { return p, r.window(ctx, scope, &w, p) })
}

func window(rule string) error {
	return abi.NewError(CodeWindow, rule, "leave out what does not go together")
}

// mostWhole is how long a record is read whole, with its row; what is longer is read in parts (RD-22.6).
const mostWhole = 64 << 10

func (r *Reader) window(ctx context.Context, scope *Scope, w *Window, p *Part) error {
	sources, at, err := r.sources(ctx, scope, w.From)
	if err != nil {
		return err
	}
	if _, err := fitting(sources, []string{w.Field}, &p.Warnings); err != nil { // before any record is looked at (RD-22.5)
		return err
	}
	for {
		s, row, past, err := r.find(ctx, sources, w.Key, mostWhole)
		if err != nil {
			return err
		}
		if row.Data == nil {
			return noRecord()
		}
		text := field.Window{Name: w.Field, Start: w.Offset, Limit: p.Limit, Query: []byte(w.Query), Before: w.Before}
		text.Write(row.Data)
		if len(row.Data) == 0 {
			err = r.Store.ReadData(ctx, s.ID, row.Seq, text.Write)
			if abi.CodeOf(err) == abi.CodeRecordUnknown {
				continue // it has changed since it was found
			}
		}
		if err == nil && s.bounded() { // by its time in the index, which is that of one declaration
			err = r.still(ctx, sources, &mark{Epoch: at.Epoch})
		}
		if err != nil {
			return err
		}
		shown, err := r.projections(ctx, []source{*s}, nil)
		if err != nil {
			return err
		}
		row.Data = nil
		p.Record = s.record(row, &shown[0], past, nil)
		return p.fill(&text, w, s.grants(w.Field))
	}
}

// fill takes over what was found of a text.
func (p *Part) fill(text *field.Window, w *Window, granted bool) error {
	switch {
	case !text.Found || !granted:
		return abi.NewError(CodeNoField, "the record has no such field", "ask for the record to see the fields it has")
	case !text.IsText:
		return abi.NewError(CodeNotText, "the field is no text", "ask for the record: the value is in it")
	case w.Query != "" && text.Match < 0:
		return abi.NewError(CodeNoMatch, "the text does not have what is looked for", "look for it as the text has it: `search` folds case, this does not")
	}
	p.Text, p.Total, p.Match = string(text.Text), text.Total, text.Match
	p.Start = min(text.Start, p.Total)
	p.End = min(p.Start+p.Limit, p.Total)
	if p.Match >= 0 {
		p.MatchEnd = p.Match + utf8.RuneCountInString(w.Query)
	}
	return nil
}
