package dev

import (
	"fmt"
	"io"
	"strings"

	"github.com/pdpp-host/pdpp-host/cmd/internal/output"
)

// mostValue is how wide a value is shown.
const mostValue = 60

// Tell writes what came of a round for people.
func Tell(w io.Writer, s output.Style, r *Round) {
	fmt.Fprintf(w, "built %s in %s\n", output.Bytes(r.Bytes), output.Seconds(r.Took))
	if r.Said != "" {
		fmt.Fprintln(w, output.Clean(r.Said))
	}
	for _, stream := range r.Streams {
		fmt.Fprintf(w, "  %s  %s%s\n", s.Bold(output.Clean(stream.Name)), output.Plural(stream.Records, "record"), stream.difference())
		if len(stream.Null) > 0 {
			fmt.Fprintf(w, "    %s  in every record: %s; is a name misspelt?\n", s.Yellow("null"), output.Clean(strings.Join(stream.Null, ", ")))
		}
		for _, record := range stream.Shown {
			record.tell(w, s)
		}
		if more := stream.New + stream.Changed + stream.Gone - int64(len(stream.Shown)); more > 0 {
			fmt.Fprintf(w, "    and %s more\n", output.Count(more))
		}
	}
	for _, g := range r.Gaps {
		fmt.Fprintf(w, "  %s  %s: %s\n", s.Yellow("not collected"), output.Clean(g.Reason), output.Clean(g.Message))
	}
	for _, place := range r.Places {
		fmt.Fprintf(w, "  %s  no page has %s: a name that is misspelt there passes for the end of the list\n", s.Yellow("never seen"), output.Clean(place))
	}
	switch {
	case r.Unsteady > 0:
		fmt.Fprintf(w, "  %s  a second run over the same changes %s: does a record hold the time, or an order that differs?\n", s.Yellow("unsteady"), output.Plural(r.Unsteady, "record"))
	case r.Again > 0:
		fmt.Fprintf(w, "  a second run over the same sends %s again, which an enumeration does; without one a cursor is missing\n", output.Plural(r.Again, "record"))
	}
}

func (s *Stream) difference() string {
	switch {
	case s.New+s.Changed+s.Gone == 0:
		return ", as before"
	case s.New == s.Records && s.Gone == 0:
		return ", all new"
	}
	return fmt.Sprintf(": %s new, %s changed, %s gone", output.Count(s.New), output.Count(s.Changed), output.Count(s.Gone))
}

func (r *Record) tell(w io.Writer, s output.Style) {
	switch r.Kind {
	case "new":
		fmt.Fprintf(w, "    %s %s\n", s.Green("+"), output.Clean(r.Key))
	case "gone":
		fmt.Fprintf(w, "    %s %s\n", s.Red("-"), output.Clean(r.Key))
	default:
		fmt.Fprintf(w, "    %s %s\n", s.Yellow("~"), output.Clean(r.Key))
		for _, f := range r.Fields {
			fmt.Fprintf(w, "        %s: %s, was %s\n", output.Clean(f.Name), value(f.Is), value(f.Was))
		}
	}
}

func value(json string) string {
	if json == "" {
		return "nothing"
	}
	return output.Cut(output.Clean(json), mostValue)
}
