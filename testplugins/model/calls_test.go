package model

import (
	"fmt"
	"math/rand/v2"
	"slices"
)

// Bounds of a sequence.
const (
	mostRuns  = 4
	mostCalls = 25
)

// maker makes a sequence of a seed. It keeps the guest's own books only, so that most of what
// it does is allowed: which lists are open, and which gaps may be served.
type maker struct {
	*rand.Rand

	parts  []string
	mixed  bool // lists of the other form come in between
	shared bool // each part has any record
	begun  map[listID]string
	left   []gap // gaps of the runs before
	calls  []call
	p      *plan
	open   []listID
	opened map[listID]bool
	used   map[gap]bool
	cursor int
}

// made is the sequence of a seed.
func made(seed uint64) *sequence {
	m := &maker{Rand: rand.New(rand.NewPCG(seed, seed)), begun: map[listID]string{}} //nolint:gosec // a test is to be repeated
	if m.parts = []string{""}; m.oneIn(2) {
		m.parts = []string{"A", "B"}
	}
	m.mixed, m.shared = m.oneIn(10), m.oneIn(2)
	s := &sequence{seed: seed}
	for i := range 1 + m.IntN(mostRuns) {
		s.runs = append(s.runs, m.run(i))
	}
	if seed%patientEach == 0 {
		s.runs = m.patient()
	}
	return s
}

// patientEach is the distance of seeds whose sequences are patient.
const patientEach = 8

// patient is a source that lists the same in each run, day after day.
func (m *maker) patient() (runs []plan) {
	there := slices.DeleteFunc(slices.Clone(keys), func(string) bool { return m.oneIn(2) })
	for i := range mostRuns {
		p := plan{label: fmt.Sprint(i + 1), end: endSucceeded, force: true}
		m.p, m.calls, m.open, m.opened = &p, nil, nil, map[listID]bool{}
		if i == 0 {
			m.fill()
		} else {
			p.days = m.IntN(4) / 2
			m.same(there)
		}
		p.calls = m.calls
		runs = append(runs, p)
	}
	return runs
}

// same lists some records of notes, and says of one that it is still to be fetched.
func (m *maker) same(there []string) {
	deferred := pick(m, []string{"", "", "a", "b"})
	for i, part := range m.parts {
		id := listID{notes, part}
		m.begin(id, "")
		if m.oneIn(4) && i > 0 { // it goes on with this one
			m.add(call{do: doWhole, stream: notes, part: m.open[0].part})
			m.open = m.open[1:]
		}
		for j, key := range there {
			if m.shared || j%len(m.parts) == i {
				m.add(call{do: doEmit, stream: notes, keys: []string{key}, n: 1})
			}
		}
		if deferred != "" && i == 0 {
			m.add(call{do: doGap, stream: notes, keys: []string{deferred}})
		}
	}
	m.shut()
}

func (m *maker) oneIn(n int) bool { return m.IntN(n) == 0 }

func pick[T any](m *maker, of []T) T { return of[m.IntN(len(of))] }

func (m *maker) run(i int) plan {
	p := plan{label: fmt.Sprint(i + 1), end: endSucceeded}
	m.p, m.calls, m.open, m.opened, m.used = &p, nil, nil, map[listID]bool{}, map[gap]bool{}
	if i > 0 {
		p.full, p.force, p.accepts = m.oneIn(6), m.oneIn(2), m.oneIn(8)
		if m.oneIn(2) {
			p.days = 1 + m.IntN(2)
		}
		switch m.IntN(20) {
		case 0, 1:
			p.resource = pick(m, keys)
		case 2:
			p.since = true
		case 3:
			p.since, p.boundary = true, true
		case 4:
			p.streams = []string{pick(m, []string{notes, riders})}
		}
	}
	if i == 0 && !m.oneIn(5) {
		m.fill()
	}
	for range m.IntN(mostCalls) {
		m.step()
	}
	if i > 0 && m.oneIn(3) {
		m.lists()
	}
	if !m.oneIn(3) {
		m.shut()
	}
	if i > 0 && m.oneIn(3) || m.oneIn(8) {
		p.end = pick(m, []string{endFailed, endCertified, endCancelled, endTrap, endKilled, endKilled})
		if p.end == endKilled && (p.resource != "" || p.since) {
			p.end = endTrap // only a run that is served gaps can be seen to stand still
		}
	}
	p.calls = m.calls
	for j := range p.calls {
		if c := &p.calls[j]; c.do == doGap {
			m.left = append(m.left, gap{c.stream, c.key()})
		}
	}
	return p
}

func (m *maker) add(c call) { m.calls = append(m.calls, c) }

// stream picks a stream, mostly notes.
func (m *maker) stream() string {
	switch {
	case m.p.resource != "":
		return notes
	case len(m.p.streams) > 0:
		return m.p.streams[0]
	case m.oneIn(5):
		return riders
	}
	return notes
}

func (m *maker) key() string {
	if m.p.resource != "" {
		return m.p.resource
	}
	return pick(m, keys)
}

// fill has the store know most records, in lists: the parts share them, or each has its own.
func (m *maker) fill() {
	m.lists()
	m.shut()
	if m.oneIn(2) {
		m.add(call{do: doEmit, stream: riders, keys: []string{m.key()}, n: 1})
	}
}

// lists enumerates notes as an honest connector does whose source has lost some records.
func (m *maker) lists() {
	if !m.p.inScope(notes) {
		return
	}
	there := pick(m, []int{0, 3, 7, 9})
	if m.p.label == "1" {
		there = 8
	}
	for i, part := range m.parts {
		if id := (listID{notes, part}); !m.opened[id] {
			by := ""
			if m.oneIn(3) {
				by = m.begun[id]
			}
			m.begin(id, by)
		}
		for j, key := range keys {
			if m.shared || j%len(m.parts) == i {
				if m.IntN(10) < there && (m.p.resource == "" || m.p.resource == key) {
					m.add(call{do: doEmit, stream: notes, keys: []string{key}, n: 1})
				}
			}
		}
	}
}

// shut closes the lists that are open, and says the cursor.
func (m *maker) shut() {
	m.Shuffle(len(m.open), func(i, j int) { m.open[i], m.open[j] = m.open[j], m.open[i] })
	for _, id := range m.open {
		m.add(call{do: doWhole, stream: id.stream, part: id.part})
	}
	m.open = nil
	m.state(pick(m, []string{doState, doSlice}))
}

func (m *maker) state(do string) {
	if len(m.p.streams) > 0 && m.p.streams[0] == riders {
		return
	}
	m.cursor++
	m.add(call{do: do, stream: notes, n: m.cursor})
}

func (m *maker) begin(id listID, by string) {
	m.add(call{do: doOpen, stream: id.stream, part: id.part, by: by})
	if by == "" {
		m.begun[id] = m.p.label
	}
	m.opened[id] = true
	if !slices.Contains(m.open, id) {
		m.open = append(m.open, id)
	}
}

// list picks a list to open.
func (m *maker) list() listID {
	id := listID{m.stream(), pick(m, m.parts)}
	if m.mixed && m.oneIn(4) {
		id.part = pick(m, []string{"", "A", "B"})
	}
	return id
}

func (m *maker) opens() {
	id := m.list()
	by := m.begun[id]
	switch {
	case slices.Contains(m.open, id):
		m.begin(id, by) // of this run, or of the one that it goes on with
	case m.opened[id] && !m.oneIn(30): // twice is a violation
	case m.oneIn(20):
		m.begin(id, "9")
	case by != "" && m.oneIn(2):
		m.begin(id, by)
	default:
		m.begin(id, "")
	}
}

// step adds one call, or some.
func (m *maker) step() {
	of := m.stream()
	one := []string{m.key()}
	switch at := m.IntN(100); {
	case at < 36:
		m.add(call{do: doEmit, stream: of, keys: one, n: 1 + m.IntN(4)/3})
	case at < 52:
		m.opens()
	case at < 60:
		m.closes()
	case at < 64:
		m.meets(one)
	case at < 70:
		m.state(doSlice)
	case at < 74:
		m.state(pick(m, []string{doState, doHalf}))
	case at < 79:
		m.gap(call{do: doGap, stream: of, keys: one})
	case at < 80:
		m.gap(call{do: pick(m, []string{doOddGap, doBacklog}), stream: of, keys: one})
	case at < 83:
		m.add(call{do: doReject, stream: of, keys: one})
	case at < 85:
		m.add(call{do: doKeptBack, stream: of, keys: one[:m.IntN(2)]})
	case at < 88:
		m.add(call{do: doDelete, stream: of, keys: one})
	case at < 91:
		if len(m.open) > 0 {
			id := pick(m, m.open)
			m.add(call{do: doMissing, stream: id.stream, part: id.part})
		}
	case at < 97:
		m.serves()
	case at < 98:
		m.add(call{do: doFail, stream: of})
	case at < 99:
		m.add(call{do: doStop})
	}
}

// closes ends a list; at times one that is not open, which is a violation.
func (m *maker) closes() {
	if len(m.open) == 0 {
		if m.oneIn(20) {
			m.add(call{do: doWhole, stream: m.stream(), part: pick(m, m.parts)})
		}
		return
	}
	i := m.IntN(len(m.open))
	m.add(call{do: doWhole, stream: m.open[i].stream, part: m.open[i].part})
	m.open = slices.Delete(m.open, i, i+1)
}

func (m *maker) meets(some []string) {
	if len(m.open) == 0 {
		return
	}
	id, do := pick(m, m.open), doMet
	if m.oneIn(20) {
		do = doOddMet
	}
	if m.p.resource == "" && m.oneIn(2) {
		some = append(some, pick(m, keys))
	}
	m.add(call{do: do, stream: id.stream, part: id.part, keys: some})
}

func (m *maker) gap(c call) {
	m.used[gap{c.stream, c.key()}] = true
	m.add(c)
}

// serves has an outcome of a gap that an earlier run left. It settles a gap once.
func (m *maker) serves() {
	if len(m.left) == 0 && !m.oneIn(20) {
		return
	}
	g := gap{m.stream(), m.key()}
	if len(m.left) > 0 {
		g = pick(m, m.left)
	}
	if m.used[g] || m.p.resource != "" || len(m.p.streams) > 0 || m.p.since {
		return
	}
	m.used[g] = true
	of := call{stream: g.stream, keys: []string{g.key}}
	if m.oneIn(2) {
		of.do = doAttempted
		m.add(of)
	}
	switch m.IntN(6) {
	case 0, 1, 2:
		of.do, of.n = doEmit, 1
		m.add(of)
		of.n = 0
	case 3:
		of.do = doReject
		m.add(of)
	case 4:
		of.do = doDelete
		m.add(of)
	}
	if !m.oneIn(8) {
		if of.do = doRecovered; m.oneIn(5) {
			of.do = doGap
		}
		m.add(of)
	}
}
