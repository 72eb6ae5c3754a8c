package schema

import (
	"context"
	_ "embed"
	"slices"
	"strings"
	"sync"

	"github.com/uptrace/bun"
)

// serverSchema lists what a step leaves in a database, as schemaOf says it, one in a line: behind
// "now" if the last step leaves it there, else behind "once".
//
//go:embed server.txt
var serverSchema string

// Server returns the objects of a database.
var Server = sync.OnceValue(func() Objects {
	return read(serverSchema, "table "+UnfinishedCopy, "column "+UnfinishedCopy+" at_us bigint")
})

// Tables returns the names of the tables that this program makes.
func Tables() (names []string) {
	for what := range Server() {
		if name, ok := strings.CutPrefix(what, "table "); ok {
			names = append(names, name)
		}
	}
	return names
}

// schemaOf is what the schema of this user's tables has that a statement would meet or run: tables and
// what has the name of one, columns, defaults, checks, triggers, rules, row security, inheritance,
// indexes that compute, and functions and operators that could come before the server's own, which
// they do with other types of arguments, but for those of extensions. All of it comes from the server's catalog. The texts of other versions of
// the server may differ, so that names are told, but of functions.
const schemaOf = `WITH own AS (
  SELECT c.oid, c.relname::text AS name, c.relkind::text AS kind, c.relrowsecurity AS secured FROM pg_catalog.pg_class AS c
  WHERE c.relnamespace = pg_catalog.current_schema()::regnamespace AND c.relname::text IN (?)
), foreigners AS (
  SELECT d.classid, d.objid FROM pg_catalog.pg_depend AS d WHERE d.deptype = 'e'
)
SELECT CASE kind WHEN 'r' THEN 'table ' WHEN 'v' THEN 'view ' ELSE 'relation ' END || name FROM own
UNION ALL SELECT 'column ' || name || ' ' || a.attname || ' ' || pg_catalog.format_type(a.atttypid, a.atttypmod) FROM own
  JOIN pg_catalog.pg_attribute AS a ON a.attrelid = own.oid AND a.attnum > 0 AND NOT a.attisdropped WHERE kind = 'r'
UNION ALL SELECT CASE a.attgenerated WHEN '' THEN 'default ' ELSE 'generated ' END || name || ' ' || a.attname || ' ' || pg_catalog.pg_get_expr(d.adbin, d.adrelid) FROM own
  JOIN pg_catalog.pg_attrdef AS d ON d.adrelid = own.oid JOIN pg_catalog.pg_attribute AS a ON a.attrelid = own.oid AND a.attnum = d.adnum
UNION ALL SELECT 'check ' || name || ' ' || k.conname FROM own JOIN pg_catalog.pg_constraint AS k ON k.conrelid = own.oid AND k.contype IN ('c', 't', 'x')
UNION ALL SELECT 'trigger ' || name || ' ' || t.tgname || ' ' || p.proname || CASE WHEN p.pronamespace = pg_catalog.current_schema()::regnamespace AND t.tgenabled = 'O' THEN '' ELSE ' of another' END
  FROM own JOIN pg_catalog.pg_trigger AS t ON t.tgrelid = own.oid AND NOT t.tgisinternal JOIN pg_catalog.pg_proc AS p ON p.oid = t.tgfoid
UNION ALL SELECT 'rule ' || name || ' ' || r.rulename FROM own JOIN pg_catalog.pg_rewrite AS r ON r.ev_class = own.oid WHERE kind = 'r'
UNION ALL SELECT 'security ' || name FROM own WHERE secured
UNION ALL SELECT 'inheritance ' || name FROM own JOIN pg_catalog.pg_inherits AS i ON i.inhrelid = own.oid OR i.inhparent = own.oid
UNION ALL SELECT 'index ' || name || ' ' || x.relname FROM own JOIN pg_catalog.pg_index AS i ON i.indrelid = own.oid AND (i.indexprs IS NOT NULL OR i.indpred IS NOT NULL)
  JOIN pg_catalog.pg_class AS x ON x.oid = i.indexrelid
UNION ALL SELECT 'function ' || p.proname || ' ' || pg_catalog.encode(pg_catalog.sha256(pg_catalog.convert_to(p.prosrc, 'UTF8')), 'hex') FROM pg_catalog.pg_proc AS p
  WHERE p.pronamespace = pg_catalog.current_schema()::regnamespace AND p.oid NOT IN (SELECT objid FROM foreigners WHERE classid = 'pg_catalog.pg_proc'::regclass)
  AND (p.proname::text IN (?) OR p.proname IN (SELECT proname FROM pg_catalog.pg_proc WHERE pronamespace = 'pg_catalog'::regnamespace)
    AND NOT EXISTS (SELECT FROM pg_catalog.pg_proc AS o WHERE o.pronamespace = 'pg_catalog'::regnamespace AND o.proname = p.proname AND o.proargtypes = p.proargtypes))
UNION ALL SELECT 'operator ' || o.oprname FROM pg_catalog.pg_operator AS o WHERE o.oprnamespace = pg_catalog.current_schema()::regnamespace
  AND o.oid NOT IN (SELECT objid FROM foreigners WHERE classid = 'pg_catalog.pg_operator'::regclass)
  AND o.oprname IN (SELECT oprname FROM pg_catalog.pg_operator WHERE oprnamespace = 'pg_catalog'::regnamespace)
  AND (SELECT pg_catalog.bool_and(t.typnamespace = 'pg_catalog'::regnamespace) FROM pg_catalog.pg_type AS t WHERE t.oid IN (o.oprleft, o.oprright))`

// OnServer reads what a database has of some tables.
func OnServer(ctx context.Context, q bun.IDB, tables []string) (has []string, err error) {
	err = q.NewRaw(schemaOf, bun.List(tables), bun.List([]string{"evidence_stands", "connections_stand"})).Scan(ctx, &has)
	slices.Sort(has)
	return has, err
}
