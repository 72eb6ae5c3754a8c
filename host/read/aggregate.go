package read

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/json"
	"math"
	"math/big"
	"slices"
	"strings"
	"time"

	"github.com/pdpp-host/pdpp-host/abi/declaration"
	"github.com/pdpp-host/pdpp-host/host/read/field"
	"github.com/pdpp-host/pdpp-host/storage"
)

// The metrics of an Aggregate.
const (
	MetricCount    = "count"
	MetricSum      = "sum"
	MetricMin      = "min"
	MetricMax      = "max"
	MetricDistinct = "count_distinct"
)

// Metrics are all of them.
var Metrics = []string{MetricCount, MetricSum, MetricMin, MetricMax, MetricDistinct}

// Aggregate asks what the records of a stream come to (RD-26).
type Aggregate struct {
	From

	Metric      string
	Field       string // that the metric is of; "" with count
	GroupBy     string // a field, with count; "": none
	GroupByTime string // a field with a time, with count; "": none
	Granularity string // of it
	TimeZone    string // of it, as IANA names it; "": UTC
	Filters     []Filter
	Limit       int // of groups; 0: DefaultGroups
}

// Groups of an Aggregate.
const (
	DefaultGroups = 10
	MostGroups    = 100
)

// Group counts the records that have one value, or the times of one span.
type Group struct {
	Key   json.RawMessage // null: they have none
	Count int64
}

// Aggregated is the answer to an Aggregate.
type Aggregated struct {
	Value    json.RawMessage // of an ungrouped one; null: no record has a value
	Groups   []Group         // of a grouped one
	Other    int64           // records in the groups that the limit cut
	Limit    int             // of groups; 0: it is not grouped
	Records  int64           // that the scope and the filters choose
	Warnings []Warning
}

// grouped reports whether groups are asked for.
func (a *Aggregate) grouped() bool { return a.GroupBy != "" || a.GroupByTime != "" }

// check refuses what cannot be meant, before anything is read.
func (a *Aggregate) check() error {
	switch {
	case !slices.Contains(Metrics, a.Metric):
		return invalid("the metric is one of "+strings.Join(Metrics, ", "), "")
	case (a.Metric == MetricCount) != (a.Field == ""):
		return invalid("every metric but count is of a field, and count is of none", "")
	case a.grouped() && a.Metric != MetricCount:
		return invalid("groups are counted, and nothing else of them", "ask for the metric count")
	case a.GroupBy != "" && a.GroupByTime != "":
		return invalid("records are grouped by a field or by a time", "leave one of them out")
	case (a.GroupByTime == "") != (a.Granularity == ""):
		return invalid("group_by_time and granularity go together", "")
	case a.GroupByTime == "" && a.TimeZone != "":
		return invalid("a time zone is of group_by_time", "leave it out")
	case a.Granularity != "" && !slices.Contains(Granularities, a.Granularity):
		return invalid("the granularity is one of "+strings.Join(Granularities, ", "), "")
	case a.Limit < 0 || a.Limit > MostGroups:
		return invalid("the limit is between 1 and 100", "")
	case a.Limit > 0 && !a.grouped():
		return invalid("a limit is of groups", "leave it out")
	}
	return nil
}

// Aggregate counts and sums up the records that the scope and the filters choose, and no
// others (Invariant 9, RD-26.6).
func (r *Reader) Aggregate(ctx context.Context, scope *Scope, a Aggregate) (*Aggregated, error) {
	if err := a.check(); err != nil {
		return nil, err
	}
	if !scope.Owner && len(a.Filters) > 0 {
		return nil, invalid("a filter cannot be used here", "leave it out") // RD-17.1
	}
	zone, err := zoneOf(a.TimeZone)
	if err != nil {
		return nil, err
	}
	return bounded(ctx, atMost/2, func(ctx context.Context) (*Aggregated, error) { return r.aggregate(ctx, scope, &a, zone) })
}

func (r *Reader) aggregate(ctx context.Context, scope *Scope, a *Aggregate, zone *time.Location) (*Aggregated, error) {
	sources, _, err := r.sources(ctx, scope, a.From)
	if err != nil {
		return nil, err
	}
	out := new(Aggregated)
	used := slices.DeleteFunc([]string{a.Field, a.GroupBy, a.GroupByTime}, func(name string) bool { return name == "" })
	used = append(used, fieldsOf(a.Filters)...)
	if sources, err = fitting(sources, used, &out.Warnings); err != nil {
		return nil, err
	}
	g := &gathering{Aggregate: a, zone: zone, out: out, groups: map[string]*Group{}, distinct: map[[16]byte]struct{}{}}
	for i := range sources {
		s := &sources[i]
		where, _, err := conditions(s.plan, a.Filters)
		if err != nil {
			return nil, err
		}
		if err := g.declared(s); err != nil {
			return nil, err
		}
		if a.Metric == MetricCount && !a.grouped() && (s.whole() && len(where) == 0 || s.byTime(where)) {
			n, err := r.countOf(ctx, s, where)
			if err != nil {
				return nil, err
			}
			out.Records += n
			continue
		}
		if err := r.each(ctx, s, where, g.take(s)); err != nil {
			return nil, err
		}
	}
	return out, g.finish()
}

// each calls fn with every record of a source that the scope and the conditions choose.
func (r *Reader) each(ctx context.Context, s *source, where []condition, fn func(data []byte) error) error {
	w := &walk{source: s, where: where}
	take := func(key string, data []byte) error {
		if data == nil || !w.shows(&storage.ReadRow{Place: storage.ReadPlace{Key: key}, Data: data}) {
			return nil
		}
		return fn(data)
	}
	if s.scope != nil && s.scope.Keys != nil {
		return r.byKey(ctx, s, s.scope.Keys, r.raw, func(row *storage.ReadRow, _ []storage.ReadPast) error { return take(row.Key, row.Data) })
	}
	if s.byTime(where) {
		from, to, fits := s.scope.Time.span()
		if !fits {
			return nil
		}
		return r.Store.ReadEachWithin(ctx, s.ID, storage.ReadTimes{From: from, To: to}, take)
	}
	return r.Store.ReadEach(ctx, s.ID, take)
}

// gathering is one call of Aggregate.
type gathering struct {
	*Aggregate

	zone *time.Location
	out  *Aggregated

	groups   map[string]*Group // by what their key is ordered by
	distinct map[[16]byte]struct{}
	whole    big.Int // the sum of whole numbers, and of the others
	part     float64
	rest     float64 // that was lost from it
	inexact  bool    // there are others
	best     []byte  // the value, and what it is ordered by
	order    []byte
	room     int // that groups and values have taken, in bytes
}

// mostRoom bounds what one call remembers.
const mostRoom = 32 << 20

// declared refuses what the stream's declaration does not offer (RD-26.1).
func (g *gathering) declared(s *source) error {
	a := &s.plan.Aggregates
	for _, one := range []struct {
		name   string
		among  []string
		number bool
		time   bool
	}{
		{g.fieldOf(MetricSum), a.Sum, true, false}, {g.fieldOf(MetricMin), a.Min, false, false}, {g.fieldOf(MetricMax), a.Max, false, false},
		{g.fieldOf(MetricDistinct), a.Distinct, false, false}, {g.GroupBy, a.GroupBy, false, false}, {g.GroupByTime, a.GroupByTime, false, true},
	} {
		is := s.plan.TypeOf(one.name)
		switch {
		case one.name == "":
		case !slices.Contains(one.among, one.name):
			return invalid("the field "+one.name+" is not declared for that", "the stream's aggregations name those that are")
		case is == declaration.Other, one.number && is != declaration.Number, one.time && is != declaration.Date && is != declaration.DateTime:
			return invalid("the field "+one.name+" has no type for that", "name another field")
		}
	}
	return nil
}

func (g *gathering) fieldOf(metric string) string {
	if g.Metric == metric {
		return g.Field
	}
	return ""
}

// take returns what gathers the records of a source.
func (g *gathering) take(s *source) func(data []byte) error {
	name := cmp.Or(g.Field, g.GroupBy, g.GroupByTime)
	is := s.plan.TypeOf(name)
	return func(data []byte) error {
		g.out.Records++
		if name == "" {
			return nil
		}
		value := field.Get(data, name)
		order := field.Order(is, value)
		if field.IsMissing(order) {
			value = nil
		}
		switch {
		case g.GroupByTime != "":
			return g.group(g.bucket(is, value))
		case g.GroupBy != "":
			return g.group(order, value)
		case value == nil:
			return nil
		case g.Metric == MetricDistinct:
			sum := sha256.Sum256(order)
			g.distinct[[16]byte(sum[:16])] = struct{}{}
			return g.grow(len(g.distinct) * 32) //nolint:mnd // about what an entry takes
		case g.Metric == MetricSum:
			g.add(string(value))
		default:
			g.compare(order, value)
		}
		return nil
	}
}

// grow notes how much room is taken.
func (g *gathering) grow(to int) error {
	if g.room = max(g.room, to); g.room > mostRoom {
		return invalid("there are too many different values to tell them apart", "ask for one connection, or for another field")
	}
	return nil
}

// group counts a record under its key. Of values that are the same and written in several
// ways the first by its bytes stands for all.
func (g *gathering) group(order, key []byte) error {
	one := g.groups[string(order)]
	if one == nil {
		one = &Group{Key: bytes.Clone(key)}
		g.groups[string(order)] = one
		if err := g.grow(g.room + len(order) + len(key) + 128); err != nil { //nolint:mnd // about what an entry takes
			return err
		}
	} else if compare(key, one.Key) < 0 {
		one.Key = bytes.Clone(key)
	}
	one.Count++
	return nil
}

// add adds a number to the sum: whole ones exactly, the others as Neumaier does.
func (g *gathering) add(number string) {
	digits, fraction, _ := strings.Cut(number, ".")
	if n, ok := new(big.Int).SetString(digits, 10); ok && strings.Trim(fraction, "0") == "" { // 1.0 is whole
		g.whole.Add(&g.whole, n)
		return
	}
	var x float64
	if json.Unmarshal([]byte(number), &x) != nil {
		x = math.Inf(1) // beyond what a number of the answer can be
	}
	g.inexact = true
	sum := g.part + x
	if math.Abs(g.part) >= math.Abs(x) {
		g.rest += (g.part - sum) + x
	} else {
		g.rest += (x - sum) + g.part
	}
	g.part = sum
}

// compare keeps the least or the greatest value, as its record has it.
func (g *gathering) compare(order, value []byte) {
	d := cmp.Or(compare(order, g.order), compare(value, g.best))
	if g.Metric == MetricMax {
		d = cmp.Or(-compare(order, g.order), compare(value, g.best))
	}
	if g.best == nil || d < 0 {
		g.order, g.best = bytes.Clone(order), bytes.Clone(value)
	}
}

// finish makes the answer of what was gathered.
func (g *gathering) finish() error {
	var err error
	switch {
	case g.grouped():
		g.arrange()
		return nil
	case g.Metric == MetricCount:
		g.out.Value, err = json.Marshal(g.out.Records)
	case g.Metric == MetricDistinct:
		g.out.Value, err = json.Marshal(len(g.distinct))
	case g.Metric == MetricSum:
		g.out.Value, err = g.sum()
	default:
		g.out.Value = g.best
	}
	return err
}

func (g *gathering) sum() ([]byte, error) {
	if !g.inexact {
		return g.whole.Append(nil, 10), nil //nolint:mnd // decimal
	}
	whole, _ := new(big.Float).SetInt(&g.whole).Float64()
	total := whole + g.part + g.rest
	if math.IsInf(total, 0) || math.IsNaN(total) {
		return nil, invalid("the sum is beyond the numbers of JSON", "ask for one connection, or for another field")
	}
	return json.Marshal(total)
}

// arrange puts the groups in their order, and cuts what is above the limit (RD-26.3).
func (g *gathering) arrange() {
	type keyed struct {
		order string
		*Group
	}
	all := make([]keyed, 0, len(g.groups))
	for order, one := range g.groups {
		all = append(all, keyed{order, one})
	}
	slices.SortFunc(all, func(a, b keyed) int {
		if a.Key == nil || b.Key == nil {
			return cmp.Compare(len(b.Key), len(a.Key)) // null last
		}
		if g.GroupBy != "" && a.Count != b.Count {
			return cmp.Compare(b.Count, a.Count)
		}
		return strings.Compare(a.order, b.order)
	})
	g.out.Limit = cmp.Or(g.Limit, DefaultGroups)
	g.out.Groups = []Group{}
	for i, one := range all {
		if i >= g.out.Limit {
			g.out.Other += one.Count
			continue
		}
		g.out.Groups = append(g.out.Groups, *one.Group)
	}
}
