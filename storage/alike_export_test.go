package storage

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// exportOf is every row of a store, as text: columns by name, rows in order. The numbers
// of rows that nothing outside a store sees (runs.pk, streams.id, dispatches.pk) are
// replaced by what they name, since a file gives the number of a removed newest row again
// and a server does not.
func exportOf(t *testing.T, s *Store) (lines []string) {
	t.Helper()
	runs, streams := numbers(t, s, "SELECT pk, connection_id || '/' || run_id FROM runs"), numbers(t, s, "SELECT id, connection_id || '/' || name FROM streams")
	for _, table := range exported {
		rows := rowsOf(t, s, "SELECT * FROM "+table) //nolint:unqueryvet // every column is compared
		var of []string
		for _, row := range rows {
			var cells []string
			for column, value := range row {
				switch {
				case table == "runs" && column == "pk", table == "streams" && column == "id", table == "dispatches" && column == "pk":
					continue
				case column == "run_pk":
					value = named(runs, value)
				case column == "stream_id":
					value = named(streams, value)
				case column == "from_run":
					value = firstRun(runs, row["connection_id"], value)
				case slices.Contains([]string{"to_run", "after_run"}, column):
					value = lastRun(runs, row["connection_id"], value)
				case column == "pruned_to":
					value = lastRun(runs, row["id"], value)
				}
				cells = append(cells, column+"="+value)
			}
			slices.Sort(cells)
			of = append(of, table+" "+strings.Join(cells, " "))
		}
		slices.Sort(of)
		lines = append(lines, of...)
	}
	return lines
}

// exported are the tables of a host's store.
var exported = []string{
	"counters", "connections", "leases", "runs", "streams", "run_streams", "records", "states", "staged_states", "events", "coverage", "gaps", "credentials",
	"pressure", "pauses", "destinations", "evidence", "standings", "schedules", "due_times", "dispatches", "confirmations", "serving", "devices", "enrollment_codes",
	"source_instances", "device_batches", "device_commits", "device_blobs", "device_blob_parts", "removed_credentials", "rejected_environments", "rejected_records", "erasures", "erased_blobs", "delivered_keys", "audit", "questions",
	"enumerations", "marks", "met",
}

func rowsOf(t *testing.T, s *Store, query string) (out []map[string]string) {
	t.Helper()
	rows, err := s.db.Read.QueryContext(t.Context(), query)
	if err != nil {
		t.Fatal(query, err)
	}
	defer func() { _ = rows.Close() }()
	columns, err := rows.Columns()
	if err != nil {
		t.Fatal(err)
	}
	for rows.Next() {
		values := make([]any, len(columns))
		into := make([]any, len(columns))
		for i := range values {
			into[i] = &values[i]
		}
		if err := rows.Scan(into...); err != nil {
			t.Fatal(err)
		}
		row := map[string]string{}
		for i, v := range values {
			switch v := v.(type) {
			case nil:
				row[columns[i]] = "NULL"
			case bool:
				row[columns[i]] = map[bool]string{false: "0", true: "1"}[v]
			case int64:
				row[columns[i]] = fmt.Sprint(v)
			default:
				row[columns[i]] = fmt.Sprintf("%q", v)
			}
		}
		out = append(out, row)
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return out
}

type number struct {
	n    string
	name string
}

func numbers(t *testing.T, s *Store, query string) (out []number) {
	t.Helper()
	for _, row := range rowsOf(t, s, query) {
		var x number
		for column, v := range row {
			if column == "pk" || column == "id" {
				x.n = v
			} else {
				x.name = v
			}
		}
		out = append(out, x)
	}
	slices.SortFunc(out, func(a, b number) int { return compareNumbers(a.n, b.n) })
	return out
}

func compareNumbers(a, b string) int {
	if len(a) != len(b) {
		return len(a) - len(b)
	}
	return strings.Compare(a, b)
}

func named(list []number, n string) string {
	for _, x := range list {
		if x.n == n {
			return x.name
		}
	}
	return "gone"
}

// firstRun is a connection's first run from a number on, which stands for the next one
// where there is none.
func firstRun(list []number, connection, n string) string {
	for _, x := range list {
		if x.of(connection) && compareNumbers(x.n, n) >= 0 {
			return x.name
		}
	}
	return "next"
}

// lastRun is a connection's newest run up to a number.
func lastRun(list []number, connection, n string) string {
	last := "none"
	for _, x := range list {
		if x.of(connection) && compareNumbers(x.n, n) <= 0 {
			last = x.name
		}
	}
	return last
}

func (x number) of(connection string) bool {
	return strings.HasPrefix(x.name, strings.TrimSuffix(connection, `"`)+"/")
}
