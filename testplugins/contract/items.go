package contract

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/host/run"
	"github.com/pdpp-host/pdpp-host/storage"
)

// uncounted is why the clauses on items cannot be judged.
const uncounted = "the connector sends no ACCOUNT of its items, and nobody said how many the source has"

// itemsExist refuses a number of items for a stream that the connector does not have.
func (s *suite) itemsExist() error {
	for _, name := range slices.Sorted(maps.Keys(s.Items)) {
		if s.manifest.Stream(name) == nil {
			return abi.NewError(abi.CodeUsage, fmt.Sprintf("the connector has no stream %q", name), "name a stream of its manifest with --items")
		}
	}
	return nil
}

// judgeItems holds what the connector says of its items to what the first run stored, and to the
// number of items that the source has.
func (s *suite) judgeItems(ctx context.Context, whole *store, res *run.Result) error {
	if len(res.Accounts) == 0 && len(s.Items) == 0 && s.report.delivered > 0 {
		s.report.skip("collect.items", uncounted)
		s.report.skip("collect.names", uncounted)
		return nil
	}
	wrong, err := s.addUp(ctx, whole, res)
	if err != nil {
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(s.Items)) {
		if a := accountOf(res, name); a.Met != s.Items[name] {
			wrong = append(wrong, fmt.Sprintf("stream %s: the source has %d items, and %d were met: %s", name, s.Items[name], a.Met, spelled(&a)))
		}
	}
	s.report.judge("collect.items", listed(wrong))
	s.report.judge("collect.names", listed(s.strangers(res)))
	return nil
}

// addUp lists the streams whose accounts do not fit the records of the run.
func (s *suite) addUp(ctx context.Context, whole *store, res *run.Result) (wrong []string, err error) {
	for _, g := range res.KnownGaps {
		if g.Kind == "accounts_differ" {
			wrong = append(wrong, "stream "+g.Stream+": "+g.Message)
		}
	}
	for i := range res.Accounts {
		a := &res.Accounts[i]
		st := s.manifest.Stream(a.Stream)
		// The store was empty, so a changed record is one that another of the same run replaced.
		if merged := max(a.Merged, res.Records[a.Stream].Changed); merged > 0 && st != nil && st.Merges == nil {
			wrong = append(wrong, fmt.Sprintf("stream %s: %d items have the key of another one, and replaced it", a.Stream, merged))
		}
		cut, err := whole.cut(ctx, a.Stream)
		if err != nil {
			return nil, err
		}
		if cut > a.Cut {
			wrong = append(wrong, fmt.Sprintf("stream %s: %d records say that a field was cut, and %d are counted", a.Stream, cut, a.Cut))
		}
	}
	return wrong, nil
}

// strangers lists the names that the connector does not know, and that its manifest does not list.
func (s *suite) strangers(res *run.Result) (list []string) {
	for i := range res.Accounts {
		a := &res.Accounts[i]
		var known []string
		if st := s.manifest.Stream(a.Stream); st != nil {
			known = st.UnknownNames
		}
		for _, u := range a.Unknown {
			if !slices.Contains(known, u.Name) {
				list = append(list, fmt.Sprintf("stream %s: %s (%d)", a.Stream, u.Name, u.Count))
			}
		}
	}
	return list
}

func accountOf(res *run.Result, stream string) abi.StreamAccount {
	for i := range res.Accounts {
		if res.Accounts[i].Stream == stream {
			return res.Accounts[i]
		}
	}
	return abi.StreamAccount{}
}

// spelled says what became of the items of an account.
func spelled(a *abi.StreamAccount) string {
	return fmt.Sprintf("%d emitted, %d unchanged, %d merged, %d duplicate, %d kept back, %d no record", a.Emitted, a.Unchanged, a.Merged, a.Duplicate, a.KeptBack, a.NotRecord)
}

// mostListed is how many faults of one clause are told.
const mostListed = 10

func listed(wrong []string) error {
	if len(wrong) == 0 {
		return nil
	}
	more := ""
	if n := len(wrong) - mostListed; n > 0 {
		wrong, more = wrong[:mostListed], fmt.Sprintf("; and %d more", n)
	}
	return fmt.Errorf("%s%s", strings.Join(wrong, "; "), more)
}

// truncated ends the names of the fields that say of a record that a field was cut.
const truncated = "_truncated"

// cut counts the live records of a stream that say that a field was cut.
func (st *store) cut(ctx context.Context, stream string) (n int64, err error) {
	err = st.store.EachRecord(ctx, st.suite.manifest.ConnectorKey, stream, func(r storage.Record) error {
		var fields map[string]json.RawMessage
		if r.Deleted {
			return nil
		}
		if err := json.Unmarshal(r.Data, &fields); err != nil {
			return err
		}
		for name, value := range fields {
			if strings.HasSuffix(name, truncated) && string(value) == "true" {
				n++
				break
			}
		}
		return nil
	})
	return n, err
}
