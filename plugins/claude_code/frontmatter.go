package main

import (
	"strings"

	"github.com/pdpp-host/pdpp-host/sdk/jsonappend"
)

// frontmatter is the block of "name: value" lines between two lines of three
// hyphens at the start of a document.
type frontmatter struct {
	name, description string
	json              []byte // an object of strings and lists of strings, nil without front matter
}

// Bounds of a front matter.
const (
	maxFrontmatterKeys  = 64
	maxFrontmatterItems = 256
)

// readFrontmatter reads the part of YAML that such blocks use: scalars, quoted scalars,
// block scalars and lists of scalars. Every scalar is text. A deeper structure becomes
// its key with an empty text.
func readFrontmatter(content string) frontmatter {
	lines := strings.Split(strings.TrimPrefix(content, "\ufeff"), "\n")
	if strings.TrimRight(lines[0], " \r\t") != "---" {
		return frontmatter{}
	}
	end := 1
	for end < len(lines) && strings.TrimRight(lines[end], " \r\t") != "---" {
		end++
	}
	if end == len(lines) {
		return frontmatter{}
	}
	var m frontmatter
	seen := make(map[string]bool)
	m.json = append(m.json, '{')
	for i := 1; i < end && len(seen) < maxFrontmatterKeys; {
		key, value, ok := strings.Cut(strings.TrimRight(lines[i], " \r\t"), ":")
		i++
		if !ok || key == "" || strings.ContainsAny(key[:1], " \t#-") || seen[key] {
			continue
		}
		seen[key] = true
		value = strings.TrimSpace(value)
		from := i
		for i < end && (strings.HasPrefix(lines[i], " ") || strings.HasPrefix(lines[i], "\t") || strings.HasPrefix(lines[i], "- ")) {
			i++
		}
		block := lines[from:i]
		m.json = jsonappend.Name(m.json, key)
		if list, ok := readList(value, block); ok {
			m.json = jsonappend.Strings(m.json, list)
			continue
		}
		text := readScalar(value, block)
		m.json = jsonappend.String(m.json, text)
		switch key {
		case "name":
			m.name = text
		case "description":
			m.description = text
		}
	}
	m.json = append(m.json, '}')
	return m
}

// readList reads "[a, b]" and lines of "- a".
func readList(value string, block []string) (list []string, ok bool) {
	if len(value) > 1 && value[0] == '[' && value[len(value)-1] == ']' {
		for _, item := range strings.Split(value[1:len(value)-1], ",") {
			if item = unquote(strings.TrimSpace(item)); item != "" && len(list) < maxFrontmatterItems {
				list = append(list, item)
			}
		}
		return list, true
	}
	if value != "" || len(block) == 0 {
		return nil, false
	}
	for _, line := range block {
		item, is := strings.CutPrefix(strings.TrimSpace(line), "- ")
		if !is {
			return nil, false
		}
		if len(list) < maxFrontmatterItems {
			list = append(list, unquote(strings.TrimSpace(item)))
		}
	}
	return list, true
}

// readScalar reads a scalar with the indented lines that follow it: of "|" the
// lines as they are, of ">" and of a plain scalar the lines joined by spaces.
func readScalar(value string, block []string) string {
	lines := make([]string, 0, len(block)+1)
	for _, line := range block {
		lines = append(lines, strings.TrimSpace(line))
	}
	switch {
	case strings.HasPrefix(value, "|"):
		return strings.Join(lines, "\n")
	case strings.HasPrefix(value, ">"):
		return strings.Join(lines, " ")
	case value == "":
		return "" // a nested structure
	}
	return unquote(strings.Join(append([]string{value}, lines...), " "))
}

func unquote(s string) string {
	if n := len(s); n > 1 && (s[0] == '"' || s[0] == '\'') && s[n-1] == s[0] {
		return s[1 : n-1]
	}
	return s
}
