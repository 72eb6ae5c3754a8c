package sqlitefile

import "strings"

// token is one token of a CREATE TABLE statement, its quotes taken off.
type token struct {
	text    string
	quoted  bool // an identifier in quotes: never a keyword
	literal bool // a 'string'
}

func (t token) is(word string) bool {
	return !t.quoted && !t.literal && strings.EqualFold(t.text, word)
}

// sym reports whether the token is that mark, and not the same mark in quotes.
func (t token) sym(mark string) bool { return !t.quoted && !t.literal && t.text == mark }

func (t token) isAny(words []string) bool {
	for _, w := range words {
		if t.is(w) {
			return true
		}
	}
	return false
}

// tokenize splits sql; comments and white space are dropped.
func tokenize(sql string) ([]token, error) {
	var tokens []token
	for i := 0; i < len(sql); {
		c := sql[i]
		switch {
		case c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f':
			i++
		case strings.HasPrefix(sql[i:], "--"):
			if n := strings.IndexByte(sql[i:], '\n'); n >= 0 {
				i += n
			} else {
				i = len(sql)
			}
		case strings.HasPrefix(sql[i:], "/*"):
			if n := strings.Index(sql[i+2:], "*/"); n >= 0 {
				i += n + 4
			} else {
				i = len(sql)
			}
		case c == '\'' || c == '"' || c == '`' || c == '[':
			text, n := unquote(sql[i:])
			if n == 0 {
				return nil, corrupt("unclosed quote in CREATE TABLE")
			}
			tokens = append(tokens, token{text: text, quoted: c != '\'', literal: c == '\''})
			i += n
		case isWord(c):
			j := i + 1
			for j < len(sql) && isWord(sql[j]) {
				j++
			}
			tokens = append(tokens, token{text: sql[i:j]})
			i = j
		default:
			tokens = append(tokens, token{text: sql[i : i+1]})
			i++
		}
	}
	return tokens, nil
}

func isWord(c byte) bool {
	return c == '_' || c == '$' || c == '.' || c >= 0x80 ||
		c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}

// unquote reads a quoted token from the front of s and returns its text and its
// length, 0 when it is not closed. A doubled quote stands for one.
func unquote(s string) (string, int) {
	end := s[0]
	if end == '[' {
		if n := strings.IndexByte(s, ']'); n > 0 {
			return s[1:n], n + 1
		}
		return "", 0
	}
	var text []byte
	for i := 1; i < len(s); i++ {
		if s[i] != end {
			text = append(text, s[i])
			continue
		}
		if i+1 < len(s) && s[i+1] == end {
			text = append(text, end)
			i++
			continue
		}
		return string(text), i + 1
	}
	return "", 0
}

// splitList splits what follows an opening parenthesis at its commas, up to the
// matching parenthesis, and returns the rest after it.
func splitList(tokens []token) (parts [][]token, rest []token) {
	depth, from := 0, 0
	for i, t := range tokens {
		if t.quoted || t.literal {
			continue
		}
		switch t.text {
		case "(":
			depth++
		case ")":
			if depth == 0 {
				return append(parts, tokens[from:i]), tokens[i+1:]
			}
			depth--
		case ",":
			if depth == 0 {
				parts = append(parts, tokens[from:i])
				from = i + 1
			}
		}
	}
	return append(parts, tokens[from:]), nil
}
