package main

import (
	"errors"
	"io"
	"io/fs"
	"strconv"
	"time"

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
	title, firstMessage, sandbox, approval string
	cwd, provider, version, commit, branch string
	repository, rollout                    string
	archived, tokens                       int64
	hasArchived, hasTokens                 bool
	created, updated                       time.Time
}

// threads is the table threads. It keeps only the place and fingerprint of each row; a
// row itself is read when its session is emitted.
type threads struct {
	problem string // "", threadsMissing or threadsUnreadable
	rows    map[string]threadRef
	table   *sqlitefile.Table
	reader  *sqlitefile.Reader
	columns [len(threadColumns)]int
	files   []fs.File
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
	if _, err := fs.Stat(home, stateDB); err != nil {
		t.problem = threadsUnreadable
		if isNotExist(err) {
			t.problem = threadsMissing
		}
		return t
	}
	for range threadAttempts {
		if t.load(home) {
			t.problem = ""
			return t
		}
		t.close()
	}
	t.problem, t.rows = threadsUnreadable, nil
	return t
}

func isNotExist(err error) bool { return errors.Is(err, fs.ErrNotExist) }

// load opens and indexes the table and reports whether the database did not change
// meanwhile.
func (t *threads) load(home fs.FS) bool {
	if hot(home) {
		return false
	}
	db, before, err := t.open(home)
	if err != nil {
		return false
	}
	if t.table, err = db.Table("threads"); err != nil {
		return false
	}
	for i, name := range threadColumns {
		t.columns[i] = t.table.Column(name)
	}
	if t.columns[colID] < 0 {
		return false
	}
	t.reader, t.rows = t.table.Reader(), map[string]threadRef{}
	err = t.table.Each(func(row *sqlitefile.Row) error {
		if id := t.text(row, colID, maxID); id != "" && len(t.rows) < maxThreads {
			r := t.read(row)
			t.rows[id] = threadRef{row.Rowid, r.print()}
		}
		return nil
	})
	if err != nil {
		return false
	}
	_, after, err := t.open(home)
	return err == nil && before == after
}

// open opens the database and its write-ahead log.
func (t *threads) open(home fs.FS) (*sqlitefile.DB, sqlitefile.Stamp, error) {
	file, err := t.seekable(home, stateDB)
	if err != nil {
		return nil, sqlitefile.Stamp{}, err
	}
	log, err := t.seekable(home, stateDB+"-wal")
	if err != nil && !isNotExist(err) {
		return nil, sqlitefile.Stamp{}, err
	}
	db, err := sqlitefile.Open(file, log, sqlitefile.Limits{MaxRowBytes: 1 << 20})
	if err != nil {
		return nil, sqlitefile.Stamp{}, err
	}
	return db, db.Stamp(), nil
}

// seekable opens a file, to be closed by close; nil with an error.
func (t *threads) seekable(home fs.FS, name string) (io.ReadSeeker, error) {
	f, err := home.Open(name)
	if err != nil {
		return nil, err
	}
	t.files = append(t.files, f)
	s, ok := f.(io.ReadSeeker)
	if !ok {
		return nil, fs.ErrInvalid
	}
	return s, nil
}

// hot reports whether a rollback journal shows that the database is in the middle of a
// transaction.
func hot(home fs.FS) bool {
	f, err := home.Open(stateDB + "-journal")
	if err != nil {
		return false
	}
	defer f.Close()
	var head [8]byte
	_, err = io.ReadFull(f, head[:])
	return err == nil && string(head[:]) == "\xd9\xd5\x05\xf9\x20\xa1\x63\xd7"
}

func (t *threads) close() {
	for _, f := range t.files {
		_ = f.Close()
	}
	t.files = t.files[:0]
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
		text, _ := clipBytes(v.Bytes(), limit)
		return text
	}
	return ""
}

func (t *threads) number(row *sqlitefile.Row, column int) (int64, bool) {
	v := row.Value(t.columns[column])
	return v.Int(), v.Kind == sqlitefile.Int
}

func (t *threads) read(row *sqlitefile.Row) threadRow {
	r := threadRow{
		title: t.text(row, colTitle, maxField), firstMessage: t.text(row, colFirstMessage, 16<<10),
		sandbox: t.text(row, colSandbox, maxField), approval: t.text(row, colApproval, maxField),
		cwd: t.text(row, colCwd, maxField), provider: t.text(row, colProvider, maxField), version: t.text(row, colVersion, maxField),
		commit: t.text(row, colCommit, maxField), branch: t.text(row, colBranch, maxField),
		repository: withoutUserinfo(t.text(row, colRepository, maxField)), rollout: t.text(row, colRollout, maxField),
	}
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
	p := formatSeed
	for _, s := range [...]string{
		r.title, r.firstMessage, r.sandbox, r.approval, r.cwd, r.provider, r.version, r.commit, r.branch, r.repository, r.rollout,
		strconv.FormatInt(r.archived, 10), strconv.FormatInt(r.tokens, 10), r.created.String(),
	} {
		p = p.add(s)
	}
	return p.sum()
}
