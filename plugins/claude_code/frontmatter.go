package main

import (
	"slices"
	"strings"

	"github.com/pdpp-host/pdpp-host/sdk/jsonappend"
)

// A front matter is the block of "name: value" lines between two lines of three
// hyphens at the start of a document.

// Bounds of a front matter.
const (
	maxFrontmatterKeys  = 64
	maxFrontmatterItems = 256
)

// frontMatter returns the lines of a document's front matter and where its text begins; -1: it has none.
func frontMatter(content string) (lines []string, body int) {
	for at := 0; at < len(content); {
		line, _, closed := strings.Cut(content[at:], "\n")
		next := at + len(line)
		if closed {
			next++
		}
		switch bare := strings.TrimRight(line, " \r\t"); {
		case at == 0 && strings.TrimPrefix(bare, "\ufeff") != "---":
			return nil, -1
		case at > 0 && bare == "---":
			return lines, next
		case at > 0:
			lines = append(lines, line)
		}
		at = next
	}
	return nil, -1
}

// metadataOf reads the part of YAML that front matters use: scalars, quoted scalars,
// block scalars and lists of scalars. Every scalar is text. A deeper structure becomes
// its key with an empty text. It returns an object of texts and lists of texts.
func metadataOf(lines []string) (json []byte) {
	end := len(lines)
	seen := make(map[string]bool)
	json = append(json, '{')
	for i := 0; i < end && len(seen) < maxFrontmatterKeys; {
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
		json = jsonappend.Name(json, key)
		if list, ok := readList(value, block); ok {
			json = jsonappend.Strings(json, list)
		} else {
			json = jsonappend.String(json, readScalar(value, block))
		}
	}
	return append(json, '}')
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

// header is what the public connector reads of a document: the front matter line by line, each value a text.
type header struct {
	name, title, description string
	texts                    []byte // an object of texts, empty without front matter
	metadata                 []byte // see metadataOf; nil without front matter
	body                     string // behind the front matter
}

// readHeader reads a document's front matter, and its text behind that. The last of two values of one name counts.
func readHeader(content string) header {
	lines, body := frontMatter(content)
	if body < 0 {
		return header{texts: []byte("{}"), body: content}
	}
	var names []string
	values := map[string]string{}
	for i := 0; i < len(lines); {
		name, value, ok := strings.Cut(strings.TrimSuffix(lines[i], "\r"), ":")
		i++
		if name = strings.TrimRight(name, " \t"); !ok || !isName(name) || len(names) == maxFrontmatterKeys {
			continue
		}
		if value = strings.TrimLeft(value, " \t"); slices.Contains([]string{">", ">-", "|", "|-"}, value) {
			from := i
			for i < len(lines) && isIndented(lines[i]) {
				i++
			}
			value = blockText(value[0] == '>', lines[from:i])
		} else {
			value = strings.TrimSpace(unquote(value))
		}
		if _, again := values[name]; !again {
			names = append(names, name)
		}
		values[name] = value
	}
	texts := []byte{'{'}
	for _, name := range names {
		texts = jsonappend.String(jsonappend.Name(texts, name), values[name])
	}
	return header{values["name"], values["title"], values["description"], append(texts, '}'), metadataOf(lines), content[body:]}
}

// isName reports whether a text is the name of a value: letters, digits, hyphens and underscores.
func isName(s string) bool {
	return s != "" && !strings.ContainsFunc(s, func(r rune) bool {
		return r != '-' && r != '_' && (r < '0' || r > '9') && (r < 'a' || r > 'z') && (r < 'A' || r > 'Z')
	})
}

// isIndented reports whether a line belongs to the block above it: it is indented, or empty.
func isIndented(line string) bool {
	line = strings.TrimSuffix(line, "\r")
	rest := strings.TrimLeft(line, " \t")
	return line == "" || rest != "" && len(rest) < len(line)
}

// blockText joins the lines of a block: by spaces when it is folded.
func blockText(folded bool, lines []string) string {
	bare := make([]string, len(lines))
	for i, line := range lines {
		bare[i] = strings.TrimLeft(strings.TrimSuffix(line, "\r"), " \t")
	}
	if folded {
		return strings.Join(strings.Fields(strings.Join(bare, " ")), " ")
	}
	return strings.TrimSpace(strings.Join(bare, "\n"))
}
