package storage

import (
	"context"
	"errors"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/uptrace/bun"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/storage/internal/db"
	"github.com/pdpp-host/pdpp-host/testplugins/rig/blank"
	"github.com/pdpp-host/pdpp-host/testplugins/rig/pgtest"
)

// strangers are changes of a store's schema by somebody else, and what its refusal names.
var strangers = []struct {
	name, want string
	change     []string
}{
	{"a view in a table's place", `view "records"`, []string{"ALTER TABLE records RENAME TO hidden", "DROP TABLE hidden", "CREATE VIEW records AS SELECT * FROM runs"}},
	{"a trigger", `trigger "steal"`, []string{"CREATE TRIGGER steal AFTER INSERT ON credentials BEGIN UPDATE credentials SET sealed = x''; END"}},
	{"a trigger that endlessly calls itself", `trigger "again"`, []string{"CREATE TRIGGER again AFTER INSERT ON runs BEGIN INSERT INTO runs SELECT * FROM runs; END"}},
	{"a known trigger that does something else", `trigger "evidence_stands"`, []string{"DROP TRIGGER evidence_stands", "CREATE TRIGGER evidence_stands AFTER UPDATE ON evidence BEGIN DELETE FROM states; END"}},
	{"steps that have no end", `view "schema_migrations"`, []string{"DROP TABLE schema_migrations",
		"CREATE VIEW schema_migrations AS WITH RECURSIVE n (v) AS (SELECT 1 UNION ALL SELECT v + 1 FROM n) SELECT v AS version, '' AS name, '' AS checksum, 0 AS applied_us FROM n"}},
	{"a table of its own", `table "mine"`, []string{"CREATE TABLE mine (a)"}},
	{"a table with a check", `table "leases"`, []string{"DROP TABLE leases", "CREATE TABLE leases (connection_id TEXT PRIMARY KEY CHECK (length(connection_id) < 3))"}},
	{"an index that computes", `index "slow"`, []string{"CREATE INDEX slow ON runs (hex(zeroblob(1000)))"}},
	{"a virtual table", `table "all_words"`, []string{"CREATE VIRTUAL TABLE all_words USING fts5(a)"}},
	{"a name that moves the cursor", `table "\x1b[2J\u202e"`, []string{"CREATE TABLE \"\x1b[2J\u202e\" (a)"}},
	{"no table", `lacks what pdpp-host made: table "records"`, []string{"DROP TABLE records"}},
	{"no index", `lacks what pdpp-host made: index "`, []string{"DROP INDEX answers_by_time"}},
	{"no trigger", `lacks what pdpp-host made: trigger "connections_stand"`, []string{"DROP TRIGGER connections_stand"}},
}

// A store that somebody else changed is refused with the name of what is strange or missing, whichever
// way it is opened, and before a statement asks anything of it.
func TestAStrangeStoreIsRefused(t *testing.T) {
	t.Parallel()
	for _, c := range strangers {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			path := madeStore(t)
			rawSQL(t, path, c.change...)
			for way, open := range map[string]func() error{
				"opened":    func() error { return closing(Open(t.Context(), Options{Path: path, Now: time.Now})) },
				"read":      func() error { return closing(OpenToRead(t.Context(), Options{Path: path, Now: time.Now})) },
				"inspected": func() error { return db.Inspect(t.Context(), path, func(*bun.DB, int) error { return nil }) },
			} {
				if err := open(); abi.CodeOf(err) != abi.CodeStoreCorrupt || !strings.Contains(err.Error(), c.want) {
					t.Errorf("%s: got %v, want %s that names %s", way, err, abi.CodeStoreCorrupt, c.want)
				}
			}
		})
	}
	t.Run("an owner's own tools", func(t *testing.T) {
		t.Parallel()
		path := madeStore(t)
		rawSQL(t, path, "ANALYZE", "CREATE TABLE IF NOT EXISTS _litestream_seq (id INTEGER PRIMARY KEY, seq INTEGER);", "CREATE TABLE IF NOT EXISTS _litestream_lock (id INTEGER);")
		if err := closing(Open(t.Context(), Options{Path: path, Now: time.Now})); err != nil {
			t.Errorf("got %v, want a store that its owner's own tools follow opened", err)
		}
	})
}

// madeStore is the path of a file with the whole schema.
func madeStore(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "pdpp.sqlite")
	blank.Store(t, path, migrated)
	return path
}

// closing closes a store that was opened.
func closing(s *Store, err error) error {
	if err == nil {
		err = s.Close()
	}
	return err
}

// The same of a database: whoever may change its schema runs nothing in this program's statements.
func TestServerThatIsStrangeIsRefused(t *testing.T) {
	t.Parallel()
	for want, change := range map[string]string{
		`view "records"`:                                     "ALTER TABLE records RENAME TO hidden; CREATE VIEW records AS SELECT * FROM hidden",
		`relation "leases"`:                                  "DROP TABLE leases; CREATE MATERIALIZED VIEW leases AS SELECT 1 AS epoch",
		`trigger "runs take steal of another"`:               "CREATE SCHEMA theirs; CREATE FUNCTION theirs.steal() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NEW; END'; CREATE TRIGGER take BEFORE INSERT ON runs FOR EACH ROW EXECUTE FUNCTION theirs.steal()",
		`evidence_stands of another"`:                        "ALTER TABLE evidence DISABLE TRIGGER evidence_stands",
		`function "evidence_stands"`:                         "CREATE OR REPLACE FUNCTION evidence_stands() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN DELETE FROM states; RETURN NULL; END'",
		`rule "runs nothing"`:                                "CREATE RULE nothing AS ON INSERT TO runs DO INSTEAD NOTHING",
		`security "records"`:                                 "ALTER TABLE records ENABLE ROW LEVEL SECURITY",
		`inheritance "states"`:                               "CREATE TABLE more () INHERITS (states)",
		`default "runs mode md5('a'::text)"`:                 "ALTER TABLE runs ALTER mode SET DEFAULT md5('a')",
		`check "runs never"`:                                 "ALTER TABLE runs ADD CONSTRAINT never CHECK (random() < 2)",
		`index "runs slow"`:                                  "CREATE INDEX slow ON runs (md5(run_id))",
		`function "length"`:                                  "CREATE FUNCTION length(bigint) RETURNS int LANGUAGE sql AS 'SELECT 1'",
		`operator "="`:                                       "CREATE FUNCTION theirs(text, bigint) RETURNS bool LANGUAGE sql AS 'SELECT true'; CREATE OPERATOR = (FUNCTION = theirs, LEFTARG = text, RIGHTARG = bigint)",
		`column "runs more text"`:                            "ALTER TABLE runs ADD more text",
		`lacks what pdpp-host made: column "runs mode text"`: "ALTER TABLE runs DROP COLUMN mode",
		`lacks what pdpp-host made: table "records"`:         "DROP TABLE records CASCADE",
		`view "schema_migrations"`:                           "ALTER TABLE schema_migrations RENAME TO past; CREATE VIEW schema_migrations AS SELECT past.* FROM past, pg_sleep(1000)",
		"":                                                   "CREATE TABLE mine (a int); CREATE FUNCTION own_report() RETURNS int LANGUAGE sql AS 'SELECT 1'; CREATE FUNCTION own_is(text, bigint) RETURNS bool LANGUAGE sql AS 'SELECT true'; CREATE INDEX plain ON runs (mode); CREATE FUNCTION lower(text) RETURNS text LANGUAGE sql AS 'SELECT 1::text'; CREATE OPERATOR <#> (FUNCTION = own_is, LEFTARG = text, RIGHTARG = bigint); ANALYZE",
	} {
		t.Run(want, func(t *testing.T) {
			t.Parallel()
			dsn := pgtest.Database(t, nil)
			if err := errors.Join(migrated(dsn), pgtest.Run(dsn, change)); err != nil {
				t.Fatal(err)
			}
			for way, open := range map[string]func(context.Context, Options) (*Store, error){"opened": Open, "read": OpenToRead} {
				err := closing(open(t.Context(), Options{Path: dsn, Now: time.Now}))
				if want == "" && err != nil {
					t.Errorf("%s: got %v, want what an owner adds beside the store's tables left alone", way, err)
				}
				if want != "" && (abi.CodeOf(err) != abi.CodeStoreCorrupt || !strings.Contains(err.Error(), want)) {
					t.Errorf("%s: got %v, want %s that names %s", way, err, abi.CodeStoreCorrupt, want)
				}
			}
		})
	}
}
