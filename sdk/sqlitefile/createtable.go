package sqlitefile

import (
	"math"
	"strconv"
	"strings"
)

// Column is one column of a CREATE TABLE statement.
type Column struct {
	Name       string
	Type       string // as declared, upper case, words joined by one space
	stored     int    // index within a record; -1 when it is not stored
	rowidAlias bool   // INTEGER PRIMARY KEY: the rowid itself, NULL in the record
	missing    Value  // its literal DEFAULT: the value in rows older than the column
}

// parseCreateTable reads the columns out of a CREATE TABLE statement in sqlite_schema.
// SQLite itself accepted the text, so the parser only has to find its way, not to
// judge.
func parseCreateTable(sql string) ([]Column, error) {
	tokens, err := tokenize(sql)
	if err != nil {
		return nil, err
	}
	open := -1
	for i, t := range tokens {
		if t.is("VIRTUAL") && i == 1 {
			return nil, unsupported("virtual table")
		}
		if t.is("AS") {
			break
		}
		if t.sym("(") {
			open = i
			break
		}
	}
	if open < 0 {
		return nil, unsupported("CREATE TABLE without a column list")
	}
	parts, rest := splitList(tokens[open+1:])
	for i := 0; i+1 < len(rest); i++ {
		if rest[i].is("WITHOUT") && rest[i+1].is("ROWID") {
			return nil, unsupported("WITHOUT ROWID table")
		}
	}
	return columnsOf(parts)
}

func columnsOf(parts [][]token) ([]Column, error) {
	var columns []Column
	stored := 0
	for _, p := range parts {
		if len(p) == 0 {
			continue
		}
		if name, ok := tablePrimaryKey(p); ok {
			aliasByName(columns, name)
			continue
		}
		if isTableConstraint(p[0]) {
			continue
		}
		if len(columns) >= maxColumns {
			return nil, corrupt("column count")
		}
		c := parseColumn(p)
		if c.stored >= 0 {
			c.stored = stored
			stored++
		}
		columns = append(columns, c)
	}
	if len(columns) == 0 {
		return nil, corrupt("no columns")
	}
	return columns, nil
}

func isTableConstraint(t token) bool {
	return t.is("CONSTRAINT") || t.is("PRIMARY") || t.is("UNIQUE") || t.is("CHECK") || t.is("FOREIGN")
}

// tablePrimaryKey returns the column of a PRIMARY KEY(column) table constraint.
func tablePrimaryKey(p []token) (string, bool) {
	if p[0].is("CONSTRAINT") && len(p) > 2 {
		p = p[2:]
	}
	if len(p) < 5 || !p[0].is("PRIMARY") || !p[1].is("KEY") || !p[2].sym("(") {
		return "", false
	}
	// One column, perhaps followed by ASC, DESC or a collation, then ")".
	for _, t := range p[4:] {
		if t.sym(",") {
			return "", false
		}
	}
	return p[3].text, true
}

func aliasByName(columns []Column, name string) {
	for i := range columns {
		if strings.EqualFold(columns[i].Name, name) && columns[i].Type == "INTEGER" {
			columns[i].rowidAlias = true
		}
	}
}

// columnConstraints are the words that end a column's type.
var columnConstraints = []string{
	"CONSTRAINT", "PRIMARY", "NOT", "NULL", "UNIQUE", "CHECK", "DEFAULT", "COLLATE", "REFERENCES", "GENERATED", "AS",
	"ON", "DEFERRABLE", "INITIALLY", "MATCH",
}

func parseColumn(p []token) Column {
	c := Column{Name: p[0].text}
	i := 1
	for depth := 0; i < len(p); i++ {
		if depth == 0 && p[i].isAny(columnConstraints) {
			break
		}
		switch {
		case p[i].sym("("):
			depth++
		case p[i].sym(")"):
			depth--
		case depth == 0:
			if c.Type != "" {
				c.Type += " "
			}
			c.Type += strings.ToUpper(p[i].text)
		}
	}
	depth, generated, storedWord := 0, false, false
	for ; i < len(p); i++ {
		t := p[i]
		switch {
		case t.sym("("):
			depth++
		case t.sym(")"):
			depth--
		case depth > 0:
		case t.is("PRIMARY") && c.Type == "INTEGER":
			// The one exception: "INTEGER PRIMARY KEY DESC" is no alias.
			c.rowidAlias = !(i+2 < len(p) && p[i+2].is("DESC"))
		case t.is("DEFAULT"):
			c.missing = defaultValue(p[i+1:], c.Type)
		case t.is("AS"):
			generated = true
		case t.is("STORED"):
			storedWord = true
		}
	}
	if generated && !storedWord {
		c.stored = -1
	}
	return c
}

// defaultValue reads a literal DEFAULT, in parentheses or not. ALTER TABLE ADD
// COLUMN allows no other kind. The text is converted as the column's affinity
// would, so far as literals need it.
func defaultValue(p []token, typ string) Value {
	for len(p) > 0 && p[0].sym("(") {
		p = p[1:]
	}
	sign := ""
	if len(p) > 1 && (p[0].sym("-") || p[0].sym("+")) {
		if p[0].text == "-" {
			sign = "-"
		}
		p = p[1:]
	}
	if len(p) == 0 {
		return Value{}
	}
	t := p[0]
	text := strings.Contains(typ, "CHAR") || strings.Contains(typ, "CLOB") || strings.Contains(typ, "TEXT")
	switch {
	case t.literal || t.quoted:
		if strings.Contains(typ, "INT") {
			if n, err := strconv.ParseInt(t.text, 10, 64); err == nil {
				return Value{Kind: Int, num: uint64(n)}
			}
		}
		return Value{Kind: Text, b: []byte(t.text)}
	case t.is("TRUE"):
		return Value{Kind: Int, num: 1}
	case t.is("FALSE"):
		return Value{Kind: Int}
	}
	number := sign + t.text
	if n, err := strconv.ParseInt(number, 0, 64); err == nil {
		if text {
			return Value{Kind: Text, b: []byte(number)}
		}
		return Value{Kind: Int, num: uint64(n)}
	}
	if f, err := strconv.ParseFloat(number, 64); err == nil && t.text[0] <= '9' {
		if text {
			return Value{Kind: Text, b: []byte(number)}
		}
		return Value{Kind: Float, num: math.Float64bits(f)}
	}
	return Value{}
}
