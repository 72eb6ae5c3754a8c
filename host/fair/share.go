package fair

// Place is what somebody has of what all share.
type Place[K comparable] struct {
	Of   K
	Size int64 // 1, where places are as good as each other
}

// GivesWay returns which place goes where all are taken, by its index: the oldest of the one that has most, or -1 if
// there is no place. The places are in order, the oldest first. The next place counts as well: the one that has most
// with it gives way, and of several that have as much the one whose place is the oldest.
func GivesWay[K comparable](places []Place[K], next Place[K]) int {
	sum := map[K]int64{next.Of: next.Size}
	for _, p := range places {
		sum[p.Of] += p.Size
	}
	goes := -1
	for i, p := range places {
		if goes < 0 || sum[p.Of] > sum[places[goes].Of] {
			goes = i
		}
	}
	return goes
}
