package main

import (
	"path"
	"strconv"
	"strings"

	"github.com/pdpp-host/pdpp-host/sdk/clip"
	"github.com/pdpp-host/pdpp-host/sdk/files"
)

// maxRules bounds the rules of one file.
const maxRules = 5000

// rules collects the rule files: rules/*.rules (command policies), rules/*.md,
// and the AGENTS.md that applies everywhere.
func (r *run) rules() error {
	if !r.h.Wants(streamRules) {
		return nil
	}
	docs, hides := r.documents("rules", 3, func(n string) bool {
		return path.Ext(n) == ".rules" || path.Ext(n) == ".md"
	})
	general := files.Walk{Depth: 1, Most: 2, Keep: func(p string, _ bool) bool { return isGeneral(p) }}.List(r.home, ".")
	r.faults(general, ".")
	r.strays(general, rootHome, ".")
	unread := map[string]bool{}
	for _, e := range general.Files() {
		d, ok := r.document(e)
		if ok {
			docs = append(docs, d)
		}
		unread[e.Path] = !ok
	}
	set := files.Open(r.h, streamRules, "")
	for i := range docs {
		d := &docs[i]
		ruleset := rulesetOf(d.path)
		list := markdownRules(d.text)
		if path.Ext(d.path) == ".rules" {
			list = policyRules(d.text)
		}
		for n, text := range list {
			id := "rules:" + ruleset + ":" + strconv.Itoa(n)
			text = clip.Text(text, maxArguments)
			if !set.News(id, files.Sum(ruleset, d.path, text)) {
				continue
			}
			rec := r.h.Record(streamRules)
			rec.String("id", id)
			rec.String("ruleset", ruleset)
			rec.String("rule_text", text)
			rec.Int("rule_index", int64(n))
			rec.String("path", d.path)
			rec.Int("mtime_epoch", d.mtime)
			if err := rec.Emit(); err != nil {
				return err
			}
		}
	}
	set.KeepIf(func(id string) bool {
		p := strings.TrimPrefix(id, "rules:")
		p = p[:max(0, strings.LastIndexByte(p, ':'))]
		return unread[p] || general.Hides(p) || hides("rules/"+p) || hides(p)
	})
	return set.Close(true)
}

// isGeneral reports whether a file of the home folder has rules that apply everywhere.
func isGeneral(p string) bool { return p == "AGENTS.md" || p == "AGENTS.override.md" }

// rulesetOf names the rules of a file: by its path in the folder of rules. One whose name there could be
// another file's has its path below the home folder, so that no two files have one name.
func rulesetOf(p string) string {
	below, in := strings.CutPrefix(p, "rules/")
	if !in || isGeneral(below) || strings.HasPrefix(below, "rules/") {
		return p
	}
	return below
}

// markdownRules returns the list items of a Markdown text and the paragraphs
// between them, each with the lines that continue it. Headings are left out.
func markdownRules(text string) []string {
	var list []string
	var current []string
	fence := false
	end := func() {
		if s := strings.TrimSpace(strings.Join(current, "\n")); s != "" && len(list) < maxRules {
			list = append(list, s)
		}
		current = current[:0]
	}
	for _, line := range strings.Split(text, "\n") {
		trimmed := strings.TrimSpace(line)
		if strings.HasPrefix(trimmed, "```") {
			fence = !fence
			current = append(current, line)
			continue
		}
		switch {
		case fence:
			current = append(current, line)
		case trimmed == "" || strings.HasPrefix(trimmed, "#") || strings.HasPrefix(trimmed, "<!--"):
			end()
		case listItem(line) > 0:
			end()
			current = append(current, line[listItem(line):])
		default:
			current = append(current, trimmed)
		}
	}
	end()
	return list
}

// listItem returns the length of a list item's mark at the line's start, 0 when
// there is none. An indented item belongs to the one above it.
func listItem(line string) int {
	i := 0
	for i < len(line) && line[i] >= '0' && line[i] <= '9' {
		i++
	}
	switch {
	case i > 0 && i+1 < len(line) && (line[i] == '.' || line[i] == ')') && line[i+1] == ' ':
		return i + 2
	case i == 0 && len(line) > 1 && (line[0] == '-' || line[0] == '*' || line[0] == '+') && line[1] == ' ':
		return 2
	}
	return 0
}

// policyRules returns the statements of a .rules file: calls that may span
// lines, comments taken off.
func policyRules(text string) []string {
	var list []string
	var current []string
	depth := 0
	for _, line := range strings.Split(text, "\n") {
		quote := byte(0)
		for i := 0; i < len(line); i++ {
			c := line[i]
			switch {
			case quote != 0:
				if c == '\\' {
					i++
				} else if c == quote {
					quote = 0
				}
			case c == '"' || c == '\'':
				quote = c
			case c == '#':
				line = line[:i]
			case c == '(' || c == '[' || c == '{':
				depth++
			case (c == ')' || c == ']' || c == '}') && depth > 0:
				depth--
			}
		}
		if line = strings.TrimRight(line, " \t\r"); line != "" {
			current = append(current, line)
		}
		if depth == 0 && len(current) > 0 {
			if len(list) < maxRules {
				list = append(list, strings.Join(current, "\n"))
			}
			current = current[:0]
		}
	}
	if len(current) > 0 && len(list) < maxRules {
		list = append(list, strings.Join(current, "\n"))
	}
	return list
}
