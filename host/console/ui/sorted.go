package ui

import (
	"iter"
	"maps"
	"slices"
)

// Sorted goes through a map in the order of its keys.
func Sorted[V any](m map[string]V) iter.Seq2[string, V] {
	return func(yield func(string, V) bool) {
		for _, k := range slices.Sorted(maps.Keys(m)) {
			if !yield(k, m[k]) {
				return
			}
		}
	}
}

// Contains reports whether a list has a word.
func Contains(list []string, word string) bool { return slices.Contains(list, word) }
