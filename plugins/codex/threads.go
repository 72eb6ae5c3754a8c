package main

import (
	"cmp"
	"errors"
	"io/fs"
	"slices"
	"strconv"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/sdk/clip"
	"github.com/pdpp-host/pdpp-host/sdk/files"
	"github.com/pdpp-host/pdpp-host/sdk/sqlitefile"
)

// stateDB is the database that Codex keeps its list of threads in.
const stateDB = "state_5.sqlite"

// maxThreads bounds the rows that are remembered.
const maxThreads = 200000

// threadAttempts is how often a database that changes meanwhile is read.
const threadAttempts = 3

// threadRow is one row of threads, with the columns that records show. The columns
// depend on Codex's version.
type threadRow struct {
	text                   [colArchived]string
	archived, tokens       int64
	hasArchived, hasTokens bool
	created, updated       time.Time
}

// threads is the table threads. It keeps only the place and fingerprint of each row; a
// row itself is read when its session is emitted.
type threads struct {
	problem string // "", threadsMissing, threadsUnreadable or threadsDamaged
	rows    map[string]threadRef
	others  []string         // tables beside it that this connector does not know
	beside  int64            // tables of Codex's own
	odd     int64            // rows without an id
	limit   int              // rows that are remembered: maxThreads
	more    int64            // rows beyond it
	db      *sqlitefile.Live // nil when it is not open
	reader  *sqlitefile.Reader
	columns [len(threadColumns)]int
}

type threadRef struct{ rowid, print int64 }

const (
	threadsMissing    = "missing"
	threadsUnreadable = "unreadable"
	threadsDamaged    = "damaged" // rows has what could be read
)

// tables are those that Codex keeps beside threads, for itself.
var tables = []string{
	"_sqlx_migrations", "agent_job_items", "agent_jobs", "backfill_state", "jobs", "logs", "remote_control_enrollments", "stage1_outputs",
	"thread_dynamic_tools", "thread_goals", "thread_spawn_edges",
}

// threadColumns is every column that is read, by its index below.
var threadColumns = [...]string{
	"id", "title", "first_user_message", "sandbox_policy", "approval_mode", "cwd", "model_provider", "cli_version", "git_sha",
	"git_branch", "git_origin_url", "rollout_path", "archived", "tokens_used", "created_at", "updated_at",
}

const (
	colID = iota
	colTitle
	colFirstMessage
	colSandbox
	colApproval
	colCwd
	colProvider
	colVersion
	colCommit
	colBranch
	colRepository
	colRollout
	colArchived
	colTokens
	colCreated
	colUpdated
)

// openThreads reads the table's rows once. It tries again when the database is being
// written; when the database cannot be read, every session stays as it is. Of a damaged one the rows are
// read that can be.
func openThreads(home fs.FS, limit int) *threads {
	t := &threads{limit: limit}
	if _, err := fs.Stat(home, stateDB); errors.Is(err, fs.ErrNotExist) {
		t.problem = threadsMissing
		return t
	}
	for again := threadAttempts - 1; again >= 0; again-- {
		if t.problem = t.load(home); t.problem == "" || t.problem == threadsDamaged && again == 0 {
			return t
		}
		t.close()
	}
	t.rows = nil
	return t
}

// load opens and indexes the table, and returns the problem of it. A database that changed meanwhile
// is unreadable: what seems to be damage may be the change.
func (t *threads) load(home fs.FS) string {
	var err error
	if t.db, err = sqlitefile.OpenLive(home, stateDB, sqlitefile.Limits{MaxRowBytes: 1 << 20}); err != nil {
		return threadsUnreadable
	}
	names, damage := t.db.Tables()
	table, err := t.db.Table("threads")
	if err != nil {
		return threadsUnreadable
	}
	for i, name := range threadColumns {
		t.columns[i] = table.Column(name)
	}
	if t.columns[colID] < 0 {
		return threadsUnreadable
	}
	t.reader, t.rows, t.odd, t.more = table.Reader(), map[string]threadRef{}, 0, 0
	t.sort(names)
	err = table.Each(func(row *sqlitefile.Row) error {
		switch id := t.text(row, colID, maxID); {
		case id == "":
			t.odd++
		case len(t.rows) >= t.limit:
			t.more++
		default:
			r := t.read(row)
			t.rows[id] = threadRef{row.Rowid, r.print()}
		}
		return nil
	})
	switch err = cmp.Or(err, damage); {
	case !t.db.Still(), err != nil && abi.CodeOf(err) != sqlitefile.CodeCorrupt:
		return threadsUnreadable
	case err != nil:
		return threadsDamaged
	}
	return ""
}

// sort tells the tables apart that are not read.
func (t *threads) sort(names []string) {
	t.others, t.beside = nil, 0
	for _, name := range names {
		switch {
		case name == "threads":
		case slices.Contains(tables, name):
			t.beside++
		default:
			t.others = append(t.others, name)
		}
	}
}

func (t *threads) close() {
	if t.db != nil {
		t.db.Close()
	}
}

// row reads the present row of a session. ok is false when there is none, or none that
// can still be read.
func (t *threads) row(session string) (r threadRow, ok bool) {
	ref, found := t.rows[session]
	if !found {
		return r, false
	}
	row, err := t.reader.Row(ref.rowid)
	if err != nil || row == nil || t.text(row, colID, maxID) != session {
		return r, false
	}
	return t.read(row), true
}

func (t *threads) text(row *sqlitefile.Row, column, limit int) string {
	v := row.Value(t.columns[column])
	if v.Kind == sqlitefile.Text {
		text, _ := clip.Bytes(v.Bytes(), limit)
		return text
	}
	return ""
}

func (t *threads) number(row *sqlitefile.Row, column int) (int64, bool) {
	v := row.Value(t.columns[column])
	return v.Int(), v.Kind == sqlitefile.Int
}

func (t *threads) read(row *sqlitefile.Row) threadRow {
	var r threadRow
	for i := colTitle; i < colArchived; i++ {
		limit := maxField
		if i == colFirstMessage {
			limit = maxArguments
		}
		r.text[i] = t.text(row, i, limit)
	}
	r.text[colRepository] = withoutUserinfo(r.text[colRepository])
	r.archived, r.hasArchived = t.number(row, colArchived)
	r.tokens, r.hasTokens = t.number(row, colTokens)
	if n, ok := t.number(row, colCreated); ok {
		r.created = epoch(n)
	}
	if n, ok := t.number(row, colUpdated); ok {
		r.updated = epoch(n)
	}
	return r
}

// epoch reads seconds since 1970; newer columns contain milliseconds.
func epoch(n int64) time.Time {
	const milliseconds = 100_000_000_000 // as seconds: the year 5138
	if n >= milliseconds {
		n /= 1000
	}
	if n <= 0 || n >= milliseconds {
		return time.Time{}
	}
	return time.Unix(n, 0).UTC()
}

// print is the fingerprint of the row's part of a session's record. It leaves out the
// time of the last change, which moves with everything; a session with a rollout takes
// that time from there.
func (r *threadRow) print() int64 {
	texts := append(r.text[colTitle:len(r.text):len(r.text)], strconv.FormatInt(r.archived, 10), strconv.FormatInt(r.tokens, 10), r.created.String())
	return files.Sum(texts...)
}
