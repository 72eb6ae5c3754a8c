package main

import (
	"errors"
	"io/fs"
	"strconv"
	"time"

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
	problem string // "", threadsMissing or threadsUnreadable
	rows    map[string]threadRef
	db      *sqlitefile.Live // nil when it is not open
	reader  *sqlitefile.Reader
	columns [len(threadColumns)]int
}

type threadRef struct{ rowid, print int64 }

const (
	threadsMissing    = "missing"
	threadsUnreadable = "unreadable"
)

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
// written; when the database cannot be read, every session stays as it is.
func openThreads(home fs.FS) *threads {
	t := &threads{}
	if _, err := fs.Stat(home, stateDB); errors.Is(err, fs.ErrNotExist) {
		t.problem = threadsMissing
		return t
	}
	for range threadAttempts {
		if t.load(home) {
			return t
		}
		t.close()
	}
	t.problem, t.rows = threadsUnreadable, nil
	return t
}

// load opens and indexes the table and reports whether the database did not change
// meanwhile.
func (t *threads) load(home fs.FS) bool {
	var err error
	if t.db, err = sqlitefile.OpenLive(home, stateDB, sqlitefile.Limits{MaxRowBytes: 1 << 20}); err != nil {
		return false
	}
	table, err := t.db.Table("threads")
	if err != nil {
		return false
	}
	for i, name := range threadColumns {
		t.columns[i] = table.Column(name)
	}
	if t.columns[colID] < 0 {
		return false
	}
	t.reader, t.rows = table.Reader(), map[string]threadRef{}
	err = table.Each(func(row *sqlitefile.Row) error {
		if id := t.text(row, colID, maxID); id != "" && len(t.rows) < maxThreads {
			r := t.read(row)
			t.rows[id] = threadRef{row.Rowid, r.print()}
		}
		return nil
	})
	return err == nil && t.db.Still()
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
