package main

import (
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/pdpp-host/pdpp-host/sdk/clip"
	"github.com/pdpp-host/pdpp-host/sdk/files"
)

// maxRules bounds the rules of a home folder, all of which the cursor of a run names.
const maxRules = 20_000

// ruleFiles are what a run makes of the files of rules.
type ruleFiles struct {
	*run

	set  *files.Set
	left int             // how many more rules the run takes
	full map[string]bool // paths of the files of which some are left out
}

// rules collects the rule files: rules/*.rules (command policies), rules/*.md,
// and the AGENTS.md that applies everywhere.
func (r *run) rules() error {
	if !r.h.Wants(streamRules) {
		return nil
	}
	in := &ruleFiles{run: r, set: files.Open(r.h, streamRules, ""), left: r.maxRules, full: map[string]bool{}}
	in.set.Reader(keysVersion)
	hides, err := r.documents("rules", 3, func(n string) bool {
		return path.Ext(n) == ".rules" || path.Ext(n) == ".md"
	}, in.take)
	if err != nil {
		return err
	}
	general := files.Walk{Depth: 1, Most: 2, Keep: func(p string, _ bool) bool { return isGeneral(p) }}.List(r.home, ".")
	r.faults(general, ".")
	r.strays(general, rootHome, ".", ".")
	unread := map[string]bool{}
	for _, e := range general.Files() {
		d, ok := r.document(e)
		if ok {
			if ok, err = in.take(&d); err != nil {
				return err
			}
		}
		unread[e.Path] = !ok
	}
	in.set.KeepIf(func(id string) bool {
		ruleset := strings.TrimPrefix(id, "rules:")
		ruleset = ruleset[:max(0, strings.LastIndexByte(ruleset, ':'))]
		return isGeneral(ruleset) && general.Hides(ruleset) || slices.ContainsFunc(pathsOf(ruleset), func(p string) bool {
			return unread[p] || in.full[p] || hides(p)
		})
	})
	return in.set.Close(true)
}

// take takes the rules of a file, as many as there is room for. whole is false if it has lost them.
func (in *ruleFiles) take(d *document) (whole bool, err error) {
	ruleset := rulesetOf(d.path)
	page := path.Ext(d.path) == policyExt && strings.HasPrefix(strings.TrimSpace(d.text), "<") // of a sign-in, or of a conflict
	if page || in.set.LostAll("rules:"+ruleset+":", d.text) || in.set.LostAll("rules:"+fileOf(d.path)+":", d.text) {
		in.lost(d)
		return false, nil
	}
	list := markdownRules(d.text)
	if path.Ext(d.path) == policyExt {
		list = policyRules(d.text)
	}
	if len(list) <= in.left {
		in.wholly(d)
	} else {
		in.full[d.path] = true
		in.places.Add(leftOut, len(list)-in.left, d.path, streamRules)
		in.books.Known(rootHome, d.path, leftOut.Reason)
		in.books.Items(streamRules).KeptBack += int64(len(list) - in.left)
		list = list[:in.left]
	}
	in.left -= len(list)
	for n, rule := range list {
		text := rule.text
		cut := len(text) > maxContent
		if cut {
			in.places.Note(longRule, d.path, "")
		}
		id := "rules:" + ruleset + ":" + strconv.Itoa(rule.index)
		text = clip.Text(text, maxContent)
		was := "rules:" + fileOf(d.path) + ":" + strconv.Itoa(n)
		moved := in.set.Moved(was, id)
		if !in.set.News(id, files.Sum(keysWord, ruleset, d.path, text)) {
			continue
		}
		in.books.Items(streamRules).Cut += one(cut)
		rec := in.h.Record(streamRules)
		if moved {
			rec.MovedFrom(was)
		}
		rec.String("id", id)
		rec.String("ruleset", ruleset)
		rec.String("rule_text", text)
		rec.Int("rule_index", int64(rule.index))
		rec.String("relative_path", d.path)
		rec.Int("mtime_epoch", d.mtime)
		if err := rec.Emit(); err != nil {
			return false, err
		}
	}
	return true, nil
}

// isGeneral reports whether a file of the home folder has rules that apply everywhere.
func isGeneral(p string) bool { return p == "AGENTS.md" || p == "AGENTS.override.md" }

// policyExt is the end of the name of a file with command policies.
const policyExt = ".rules"

// rulesetOf names the rules of a file: by its path in the folder of rules, which a file of policies has without its extension. One
// whose name there could be another file's, now or in an earlier version, has its path below the home folder, so that no two files
// ever had one name.
func rulesetOf(p string) string {
	name, policy := strings.CutSuffix(fileOf(p), policyExt)
	switch {
	case !policy:
		return fileOf(p)
	case path.Ext(name) == ".md" || path.Ext(name) == policyExt:
		return "./" + p
	}
	return name
}

// fileOf is what an earlier version called the rules of a file.
func fileOf(p string) string {
	below, in := strings.CutPrefix(p, "rules/")
	if !in || isGeneral(below) || strings.HasPrefix(below, "rules/") {
		return p
	}
	return below
}

// pathsOf are the paths of the files whose rules may have a name, those that an earlier version gave among them.
func pathsOf(ruleset string) []string {
	return []string{strings.TrimPrefix(ruleset, "./"), ruleset + policyExt, "rules/" + ruleset, "rules/" + ruleset + policyExt}
}

// rule is one rule of a file.
type rule struct {
	text  string
	index int // in the file: from 0, or of a policy the lines above it that are neither empty nor comments
}

// markdownRules returns the list items of a Markdown text and the paragraphs
// between them, each with the lines that continue it. Headings are left out.
func markdownRules(text string) (list []rule) {
	var current []string
	fence := false
	end := func() {
		if s := strings.TrimSpace(strings.Join(current, "\n")); s != "" {
			list = append(list, rule{s, len(list)})
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

// policyRules returns the statements of a .rules file: calls that may span lines. Lines that are comments are left out.
func policyRules(text string) (list []rule) {
	var current []string
	depth, lines, first := 0, 0, 0
	end := func() {
		if len(current) > 0 {
			list = append(list, rule{strings.TrimSpace(strings.Join(current, "\n")), first})
		}
		current = current[:0]
	}
	for _, line := range strings.Split(text, "\n") {
		if trimmed := strings.TrimSpace(line); trimmed == "" || trimmed[0] == '#' {
			continue
		}
		if len(current) == 0 {
			first = lines
		}
		lines++
		current = append(current, strings.TrimRight(line, " \t\r"))
		if depth = depthAfter(line, depth); depth == 0 {
			end()
		}
	}
	end()
	return list
}

// depthAfter returns how many brackets are open behind a line of a policy.
func depthAfter(line string, depth int) int {
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
			return depth
		case c == '(' || c == '[' || c == '{':
			depth++
		case (c == ')' || c == ']' || c == '}') && depth > 0:
			depth--
		}
	}
	return depth
}
