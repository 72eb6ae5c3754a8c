package main

import (
	"path"
	"strconv"
	"strings"

	"github.com/pdpp-host/pdpp-host/sdk/exports"
)

// check notes what the archive at hand should have and has not.
func (r *run) check() {
	x := r.export
	lacks := false
	for _, file := range exports.Sorted(x.listed) {
		if !r.whole[file] {
			r.hurt[x.listed[file]], lacks = true, true
			if !r.books.Problems.Names(file) {
				r.missing(problemMissing, file)
			}
		}
	}
	if x.spread && !lacks && !r.twice { // all parts are there
		x.partial = false
	}
	for _, stream := range []string{streamTweets, streamMessages} {
		if r.books.Kinds[stream] > 0 {
			r.had[stream] = true
		} else if x.partial && r.lists[stream] != nil {
			r.hurt[stream] = true
			r.missing(problemPart, stream)
		}
	}
	for _, kind := range exports.Sorted(x.numbers) {
		r.numbered(kind)
	}
}

// numbered notes the files of a kind that are missing among those that are there, by their numbers.
func (r *run) numbered(kind string) {
	numbers, last := r.export.numbers[kind], 0
	for n := range numbers {
		last = max(last, n)
	}
	beside := numbers[last]
	for n := range last {
		if _, there := numbers[n]; there {
			continue
		}
		file := kind + ".part" + strconv.Itoa(n)
		if listed := partName(path.Base(beside.name), last, n); r.export.listed[listed] != "" {
			continue // it is told as that, or is there under another number
		} else if listed != "" {
			file = listed
		}
		s := script{kind: kind}
		r.hurt[s.streamOfKind()] = true
		r.books.Problems.Note(problemMissing, 1, file)
		r.fateOf(beside.source).books.MissIn(beside.name, problemMissing)
	}
}

// partName returns how a file is called that has another number than the one of that name; "" if that is not known.
func partName(name string, number, other int) string {
	front, ok := strings.CutSuffix(name, "-part"+strconv.Itoa(number)+".js")
	switch {
	case !ok:
		return ""
	case other == 0:
		return front + ".js"
	}
	return front + "-part" + strconv.Itoa(other) + ".js"
}

// missing notes that the archive lacks something, with which the file is accounted for that says so.
func (r *run) missing(problem, what string) {
	r.books.Problems.Note(problem, 1, what)
	list := &r.export.list
	if list.source == nil {
		list.source = r.export.sources[0]
	}
	r.fateOf(list.source).books.MissIn(list.name, problem)
}
