package read

import (
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"slices"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/storage"
)

// Beginning asks for the changes since ever.
const Beginning = "beginning"

// mark is what a reader has: all that its scope showed when every change up to the horizon
// was in. It is the plain text of a token of changes, and always as long: a change that is
// not seen does not show in its length either (Invariant 9).
type mark struct {
	Listed  bool   // a list gave it, which may have shown what came behind the horizon (RD-16.5)
	Horizon int64  // 0: nothing
	Epoch   int64  // of the read state
	Streams uint64 // a hash of the streams that were read, those up to Newest
	Newest  int64  // the highest id among them
}

const markBytes = 1 + 4*8

func (m *mark) bytes() []byte {
	b := append(make([]byte, 0, markBytes), 0)
	if m.Listed {
		b[0] = 1
	}
	for _, n := range []int64{m.Horizon, m.Epoch, int64(m.Streams), m.Newest} { //nolint:gosec // its bits are meant
		b = binary.BigEndian.AppendUint64(b, uint64(n)) //nolint:gosec // its bits are meant
	}
	return b
}

func readMark(b []byte) (m mark, rest []byte, err error) {
	if len(b) < markBytes {
		return m, nil, foreignCursor()
	}
	number := func(i int) uint64 { return binary.BigEndian.Uint64(b[1+8*i:]) }
	return mark{b[0] == 1, int64(number(0)), int64(number(1)), number(2), int64(number(3))}, b[markBytes:], nil //nolint:gosec // as they were written
}

// markOf returns the mark of a read of sources that were found behind a position: every change
// up to its horizon is in their read state.
func markOf(at storage.ReadPosition, sources []source, fields []string) mark {
	m := mark{Horizon: at.Indexed, Epoch: at.Epoch}
	for i := range sources {
		m.Newest = max(m.Newest, sources[i].ID)
	}
	m.Streams = hashStreams(sources, fields, m.Newest)
	return m
}

// of is the mark for one source. Of a stream that came later the reader has nothing, whenever
// its changes were.
func (m *mark) of(s *source) mark {
	has := *m
	if s.ID > m.Newest {
		has.Horizon = 0
	}
	return has
}

// fits refuses what the read state cannot tell from a mark on any more (RD-23.9): it was
// made anew, a stream or its connection went, or the store is older than the mark.
func (m *mark) fits(now *mark, sources []source, fields []string) error {
	if m.Horizon > now.Horizon || m.Epoch != now.Epoch || m.Streams != hashStreams(sources, fields, m.Newest) {
		return expired()
	}
	return nil
}

func expired() error {
	return abi.NewError(CodeExpired, "what has changed since then is not known any more: begin again with changes_since="+Beginning, "")
}

// hashStreams tells apart what decides how streams up to one were read. A stream of a
// removed connection may leave its number to another one.
func hashStreams(sources []source, fields []string, newest int64) uint64 {
	some := slices.DeleteFunc(slices.Clone(sources), func(s source) bool { return s.ID > newest })
	slices.SortFunc(some, func(a, b source) int { return cmp.Compare(a.ID, b.ID) })
	sum := sha256.New()
	for i := range some {
		s := &some[i]
		fmt.Fprintf(sum, "%d %q %d", s.ID, s.ConnectionID, max(s.Generation, 1))
		if s.scope != nil && s.scope.Time != nil {
			fmt.Fprintf(sum, " %q", s.plan.TypeOf(s.scope.Time.Field))
		}
		for _, f := range s.plan.Fields {
			if fields != nil && f.Required {
				fmt.Fprintf(sum, " %q", f.Name)
			}
		}
		fmt.Fprintln(sum)
	}
	return binary.BigEndian.Uint64(sum.Sum(nil))
}

// timed reports whether the read state has the times that the scope bounds.
func (s *source) timed() bool {
	return s.plan.Bounded() && s.scope.Time.Field == s.plan.ConsentTimeField
}
