package console

import (
	"database/sql"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	_ "modernc.org/sqlite" // ten thousand connections are stored as a stranger would

	"github.com/pdpp-host/pdpp-host/testplugins/rig/bed"
	"github.com/pdpp-host/pdpp-host/testplugins/rig/browser"
)

// many copies the only connection of a store until there are n, by their numbers.
func many(t *testing.T, owner *bed.Owner, n int) {
	t.Helper()
	db, err := sql.Open("sqlite", "file:"+filepath.Join(owner.Data, "pdpp.sqlite"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	db.SetMaxOpenConns(1) // which has the temporary tables
	statements := []string{
		"UPDATE evidence SET examine_us = 1 << 60", // the scheduler leaves them alone
		fmt.Sprintf("CREATE TEMP TABLE numbers AS WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c WHERE n < %d) SELECT n FROM c", n-1),
	}
	for table, set := range map[string]string{
		"connections": "id = 'con_' || number, name = printf('connection-%05d', number)", "standings": "connection_id = 'con_' || number",
		"evidence": "connection_id = 'con_' || number, name = printf('connection-%05d', number)",
	} {
		copied := "copied_" + table
		statements = append(statements,
			"CREATE TEMP TABLE "+copied+" AS SELECT t.*, n AS number FROM main."+table+" AS t, numbers", //nolint:unqueryvet // whatever columns there are
			"UPDATE "+copied+" SET "+set, "ALTER TABLE "+copied+" DROP COLUMN number",
			"INSERT INTO main."+table+" SELECT * FROM "+copied, //nolint:unqueryvet // the same
		)
	}
	for _, s := range statements {
		if _, err := db.ExecContext(t.Context(), s); err != nil {
			t.Fatalf("%s: %v", s, err)
		}
	}
}

// OC-17: the sixth story. An owner of 10,000 connections looks at the overview, goes on to
// the next page, and finds some by their name, page by page.
func TestTenThousandConnections(t *testing.T) {
	t.Parallel()
	browser.Find(t)
	owner := bed.New(t, "scripted")
	owner.Says(0, "connections", "add", "connection-00000", "scripted", "--accept")
	many(t, owner, 10_000)
	cookie := owner.Claim()
	told(t, func(t *testing.T, o browser.Options) {
		v := browser.Visit(t, owner.Origin(), o)
		v.Give(cookie)
		p := v.Page()
		rows := func(want int, first, last string) {
			t.Helper()
			p.Holds("document.querySelectorAll('a.row').length === " + fmt.Sprint(want))
			var names []string
			if err := p.Eval("[...document.querySelectorAll('a.row b')].map((e) => e.innerText)").Unmarshal(&names); err != nil {
				t.Fatal(err)
			}
			if names[0] != first || names[len(names)-1] != last {
				t.Errorf("%s shows %s to %s, want %s to %s", p.Path(), names[0], names[len(names)-1], first, last)
			}
		}
		p.Open("/")
		p.See("10000 connections")
		rows(50, "connection-00000", "connection-00049")
		p.Press("More connections")
		p.At("/?after=")
		rows(50, "connection-00050", "connection-00099")
		p.Fill("Name", "TION-0777")
		p.Press("Filter")
		p.At("/?name=")
		rows(10, "connection-07770", "connection-07779")
		p.Fill("Name", "77")
		p.Press("Filter")
		p.At("/?name=77")
		rows(50, "connection-00077", "connection-02774")
		p.Press("More connections")
		p.At("/?after=connection-02774&name=77")
		rows(50, "connection-02775", "connection-05477")
		p.Fill("Name", strings.Repeat("é", 150))
		p.Press("Filter")
		p.See("No connection matches")
		p.Press("Show all")
		rows(50, "connection-00000", "connection-00049")
		if !o.NoScripts {
			legible(t, p)
		}
	})
}
