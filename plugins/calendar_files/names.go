package main

import (
	"cmp"
	"slices"
	"strconv"

	"github.com/pdpp-host/pdpp-host/sdk/clip"
)

// Bounds on the names that a run counts: how many, and bytes of each.
const (
	maxUnknown     = 64
	maxUnknownName = 64
	otherNames     = "others"
)

// nameCounts counts what the files name and the connector does not know, so that a change of the
// format shows on the day it comes. The order is that in which the names came.
type nameCounts struct {
	names []string
	n     []int64
	at    map[string]int
	key   []byte
}

// add counts a name of some kind once.
func (c *nameCounts) add(kind, name string) {
	if c == nil {
		return
	}
	c.key = append(append(c.key[:0], kind...), name...)
	i, ok := c.at[string(c.key)] // without a text of its own, which most calls do not need
	if !ok {
		i = c.index(kind + clip.Text(name, maxUnknownName))
	}
	c.n[i]++
}

// each calls f with every name and its count.
func (c *nameCounts) each(f func(name string, n int64)) {
	for i, name := range c.names {
		f(name, c.n[i])
	}
}

func (c *nameCounts) addN(name string, n int64) { c.n[c.index(name)] += n }

// index returns the place of a name. Names beyond the bound share one.
func (c *nameCounts) index(name string) int {
	i, ok := c.at[name]
	if ok {
		return i
	}
	if len(c.names) >= maxUnknown && name != otherNames {
		return c.index(otherNames)
	}
	if c.at == nil {
		c.at = make(map[string]int)
	}
	i = len(c.names)
	c.names, c.n, c.at[name] = append(c.names, name), append(c.n, 0), i
	return i
}

// refer writes the counts as places in a table of names and numbers, in turns.
func (c *nameCounts) refer(table *nameCounts) []int64 {
	var list []int64
	for i, name := range c.names {
		list = append(list, int64(table.index(name)), c.n[i])
	}
	return list
}

// resolve adds counts that refer wrote.
func (c *nameCounts) resolve(list []int64, table []string) {
	for ; len(list) >= 2; list = list[2:] {
		if at := list[0]; at >= 0 && at < int64(len(table)) && list[1] > 0 {
			c.addN(table[at], list[1])
		}
	}
}

// text lists the names, the most frequent first, and total is the sum.
func (c *nameCounts) text() (text string, total int64) {
	order := make([]int, len(c.names))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int {
		return cmp.Or(cmp.Compare(c.n[b], c.n[a]), cmp.Compare(c.names[a], c.names[b]))
	})
	for _, i := range order {
		if total += c.n[i]; text != "" {
			text += ", "
		}
		text += c.names[i] + " (" + strconv.FormatInt(c.n[i], 10) + ")"
	}
	return text, total
}
