package main

import (
	"slices"
	"strings"

	"github.com/pdpp-host/pdpp-host/sdk/exports"
)

// words stand in front of what was searched for, and behind it.
type words struct{ front, behind string }

// maxAsked bounds the words of one file: it is in one language, but for a few entries.
const maxAsked = 16

// queryOf returns what an address has been searched with.
func queryOf(address string) (query string, search bool) {
	for _, form := range []struct{ path, name string }{{"/results", "search_query"}, {"/search", "q"}} {
		if query, search = exports.Parameter(address, form.path, form.name); search {
			return query, true
		}
	}
	_, place, _ := strings.Cut(address, "://")
	host, path, _ := strings.Cut(place, "/")
	if !strings.HasPrefix(strings.TrimPrefix(strings.TrimPrefix(host, "www."), "maps."), "google.") {
		return "", false
	}
	text, found := strings.CutPrefix(path, "maps/search/")
	if text, _, _ = strings.Cut(text, "/"); !found {
		_, text, found = strings.Cut(path, "#q=")
	}
	if text, _, _ = strings.Cut(text, "?"); !found || text == "" {
		return "", false
	}
	return exports.Parameter("?q="+text, "", "q")
}

// learn remembers the words around a query in a title, so that a title without an address is known by them.
func (a *activities) learn(title, query string) {
	front, behind, found := strings.Cut(title, query)
	w := words{front, behind}
	if found && query != "" && front+behind != "" && len(a.asked) < maxAsked && !slices.Contains(a.asked, w) {
		a.asked = append(a.asked, w)
	}
}

// searched returns what was searched for, as the words of a title say; "" for a title that says nothing of it.
func (a *activities) searched(title string) string {
	for _, w := range append(a.asked[:len(a.asked):len(a.asked)], words{"Searched for ", ""}) {
		if len(title) > len(w.front)+len(w.behind) && strings.HasPrefix(title, w.front) && strings.HasSuffix(title, w.behind) {
			return title[len(w.front) : len(title)-len(w.behind)]
		}
	}
	return ""
}
