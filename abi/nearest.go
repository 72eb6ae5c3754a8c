package abi

// Nearest returns the known word for which word is most likely a typing error, or ""
// if none is near: at most a third of the longer word may differ.
func Nearest(word string, known []string) string {
	best, bestDistance := "", -1
	for _, k := range known {
		d := Distance(word, k)
		if d > max(len(word), len(k))/3 && d > 1 {
			continue
		}
		if bestDistance < 0 || d < bestDistance {
			best, bestDistance = k, d
		}
	}
	return best
}

// Distance counts the insertions, deletions, substitutions and swaps of
// neighbours (the restricted Damerau-Levenshtein distance, by byte) that turn a
// into b.
func Distance(a, b string) int {
	if len(a) > 256 || len(b) > 256 { // bounds the quadratic work for hostile input
		return max(len(a), len(b))
	}
	before, last, row := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range last {
		last[j] = j
	}
	for i := 1; i <= len(a); i++ {
		row[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			row[j] = min(last[j]+1, row[j-1]+1, last[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
		before, last, row = last, row, before
	}
	return last[len(b)]
}
