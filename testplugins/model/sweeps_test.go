package model

import (
	"maps"
	"slices"
	"strings"
)

// Without the owner's word a list of so many records loses no more than the half, unless so
// many runs have found the same.
const (
	guarded  = 5
	runsMean = 3
)

// gone lists what a list would delete now. Of the parts in leaving only what they have met
// counts.
func (b *books) gone(u *use, leaving map[string]bool) (all []string) {
	s := b.streams[u.stream]
	for _, key := range s.has(u.part) {
		if u.list.met[key] || s.records[key].changed > u.list.since {
			continue
		}
		elsewhere := false
		for part, holds := range s.holds {
			if u.part != "" && part != u.part && holds[key] && (!leaving[part] || s.lists[part].met[key]) {
				elsewhere = true
			}
		}
		if !elsewhere {
			all = append(all, key)
		}
	}
	return all
}

func tooMany(gone, held int) bool { return held >= guarded && 2*gone > held }

// weighed is what a list does.
type weighed struct {
	*use

	gone    []string
	refused string
	asked   bool
	answer  answer
}

// weigh weighs lists in their order.
func (b *books) weigh(ids []listID, together map[string]bool) (all []weighed) {
	leaving := map[string]map[string]bool{notes: {}, riders: {}}
	for _, id := range ids {
		u := b.run.opened[id]
		w := weighed{use: u, refused: u.refused, answer: u.list.answer}
		switch {
		case u.given:
			w.refused = refusedLost
		case w.refused != "":
		case u.list.spoiled:
			w.refused = refusedSpoiled
		default:
			w.gone = b.gone(u, leaving[id.stream])
			w.ask(b.run.plan.accepts, together[id.stream])
			if w.refused == "" && id.part != "" {
				leaving[id.stream][id.part] = true
			}
		}
		all = append(all, w)
	}
	return all
}

// ask refuses a list that would lose too much, until three runs have found the same, a day
// apart each.
func (w *weighed) ask(accepts, together bool) {
	found, before := strings.Join(w.gone, " "), w.list.answer
	w.asked, w.answer = accepts, answer{}
	many := together || tooMany(len(w.gone), max(w.list.held, len(w.gone))) || before.gone == found // asked about before
	if accepts || len(w.gone) == 0 || !many {
		return
	}
	switch {
	case before.gone != found:
		w.answer = answer{found, 1, w.day}
	case before.day == w.day:
		w.answer = before
	default:
		w.answer = answer{found, before.count + 1, w.day}
	}
	if w.asked = w.answer.count >= runsMean; w.asked {
		w.answer = answer{}
		return
	}
	w.refused = refusedMany
}

// sweep deletes what whole lists have not met, unless a rule says otherwise, and closes them.
func (b *books) sweep(ids []listID) {
	all := b.weigh(ids, nil)
	sums := maps.Clone(b.run.removed)
	for i := range all {
		if w := &all[i]; w.refused == "" {
			sums[w.stream] = sums[w.stream].and(w)
		}
	}
	together := map[string]bool{}
	for name, sum := range sums {
		together[name] = tooMany(sum.unasked, b.run.held[name]-sum.asked)
	}
	if slices.Contains(slices.Collect(maps.Values(together)), true) {
		all = b.weigh(ids, together)
	}
	for i := range all {
		b.shut(&all[i])
	}
}

func (r removal) and(w *weighed) removal {
	if w.asked {
		r.asked += len(w.gone)
	} else {
		r.unasked += len(w.gone)
	}
	return r
}

// shut closes one list.
func (b *books) shut(w *weighed) {
	r, s := b.run, b.streams[w.stream]
	delete(r.unswept, w.listID)
	if w.refused != "" && w.refused != refusedNarrowed {
		r.withheld[w.stream] = w.refused
	}
	if w.given || w.use.refused != "" {
		return // what the host has of it stays
	}
	if w.refused == "" {
		for _, key := range w.gone {
			b.put(w.stream, key, 0, true)
		}
		r.removed[w.stream] = r.removed[w.stream].and(w)
		for key := range s.holds[w.part] {
			if !w.list.met[key] {
				delete(s.holds[w.part], key)
			}
		}
	}
	*w.list = list{begunBy: w.list.begunBy, met: map[string]bool{}, answer: w.answer}
}
