package read

import (
	"context"
	"strings"
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

func (r *Reader) window(ctx context.Context, scope *Scope, w *Window, p *Part) error {
	sources, _, err := r.sources(ctx, scope, w.From)
	if err != nil {
		return err
	}
	if _, err := fitting(sources, []string{w.Field}, &p.Warnings); err != nil { // before any record is looked at (RD-22.5)
		return err
	}
	s, row, past, err := r.find(ctx, scope, One{From: w.From, Key: w.Key})
	if err != nil {
		return err
	}
	if row.Data == nil {
		return noRecord()
	}
	shown, err := r.projections(ctx, []source{*s}, nil)
	if err != nil {
		return err
	}
	value := field.Get(row.Data, w.Field)
	if value == nil || !s.grants(w.Field) {
		return abi.NewError(CodeNoField, "the record has no such field", "ask for the record to see the fields it has")
	}
	text, ok := field.String(value)
	if !ok {
		return abi.NewError(CodeNotText, "the field is no text", "ask for the record: the value is in it")
	}
	p.Record = s.record(row, &shown[0], past, nil)
	p.Data = nil
	return p.cut(text, w)
}

// cut takes the part out of a text.
func (p *Part) cut(text string, w *Window) error {
	p.Start = w.Offset
	if w.Query != "" {
		at := strings.Index(text, w.Query)
		if at < 0 {
			return abi.NewError(CodeNoMatch, "the text does not have what is looked for", "look for it as the text has it: `search` folds case, this does not")
		}
		p.Match = utf8.RuneCountInString(text[:at])
		p.MatchEnd = p.Match + utf8.RuneCountInString(w.Query)
		p.Start = max(p.Match-w.Before, 0)
	}
	from, to, n := len(text), len(text), 0
	for at := range text {
		if n == p.Start {
			from = at
		}
		if n == p.Start+p.Limit {
			to = at
		}
		n++
	}
	p.Total = n
	p.Start = min(p.Start, n)
	p.End = min(p.Start+p.Limit, n)
	p.Text = strings.Clone(text[from:to])
	return nil
}
