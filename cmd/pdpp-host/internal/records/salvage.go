package records

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/cmd/internal/output"
	"github.com/pdpp-host/pdpp-host/cmd/internal/syntax"
	"github.com/pdpp-host/pdpp-host/cmd/pdpp-host/internal/session"
	"github.com/pdpp-host/pdpp-host/host/owner"
)

// eachRecord reads a stream's records: by key, or, where the flags say so, around what is
// damaged.
func (f *exportFlags) eachRecord(ctx context.Context, from *owner.StreamReader, fn func(owner.Record) error) (lost []owner.Unreadable, err error) {
	if f.salvage {
		return from.Salvage(ctx, fn)
	}
	return nil, from.Each(ctx, fn)
}

// mostRanges is how many ranges of lost changes one line names.
const mostRanges = 8

// tellLost says what a salvage could not read. The counters beside the records tell how
// many there were.
func tellLost(s *session.Session, stream string, before, seen owner.StreamCounts, lost []owner.Unreadable) {
	missing := before.Live + before.Deleted - seen.Live - seen.Deleted
	if missing <= 0 && len(lost) == 0 {
		return
	}
	line := fmt.Sprintf("%s: %s could not be read", stream, output.Plural(max(missing, 0), "record"))
	var ranges []string
	for i, u := range lost {
		if i == mostRanges {
			ranges = append(ranges, fmt.Sprintf("%d more ranges", len(lost)-i))
			break
		}
		ranges = append(ranges, fmt.Sprintf("%d to %d", u.From, u.To))
	}
	if len(ranges) > 0 {
		line += "; damaged are the changes (seq) " + strings.Join(ranges, ", ") + ", of this stream or of others"
	}
	fmt.Fprintf(s.Err, "%s %s\n", s.Printer.ErrStyle.Yellow("warning:"), output.Clean(line))
}

// orSalvage is an export's error, which for a damaged store names what reads the rest.
func orSalvage(err error, from *owner.StreamReader) error {
	var e *abi.Error
	if !errors.As(err, &e) || e.Code != abi.CodeStoreCorrupt {
		return err
	}
	return e.WithHint(fmt.Sprintf("read what is not damaged with: pdpp-host records export %s %s --salvage   and see what is, with: pdpp-host doctor",
		syntax.Quoted(from.Connection), syntax.Quoted(from.Name))).Wrap(err)
}
