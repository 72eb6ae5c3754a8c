package main

import (
	"cmp"
	"io/fs"
	"slices"
	"strconv"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/sdk/clip"
	"github.com/pdpp-host/pdpp-host/sdk/files"
	"github.com/pdpp-host/pdpp-host/sdk/sqlitefile"
)

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

// threads are the rows of the tables threads. They keep only the place and fingerprint of each row; a
// row itself is read when its session is emitted.
type threads struct {
	problem string // "", threadsMissing, or the worst of its databases
	rows    map[string]threadRef
	bases   []*base
	limit   int // rows that are remembered: maxThreads
}

// base is a database with a table threads.
type base struct {
	name    string
	problem string           // "", threadsUnreadable or threadsDamaged
	broken  bool             // it could not be opened for what is in it
	others  []string         // tables beside it that this connector does not know
	beside  int64            // tables of Codex's own
	odd     int64            // rows without an id
	more    int64            // rows beyond the limit
	db      *sqlitefile.Live // nil when it is not open
	reader  *sqlitefile.Reader
	columns [len(threadColumns)]int
}

// threadRef is the place of a row. Where several databases have a row of a session, the one that was
// changed last counts.
type threadRef struct {
	base                  *base
	rowid, print, updated int64
}

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

// openThreads reads the rows of each database once. It tries again when one is being
// written; of one that cannot be read, every session stays as it is. Of a damaged one the rows are
// read that can be.
func openThreads(home fs.FS, limit int) *threads {
	t := &threads{limit: limit, problem: threadsMissing}
	for _, d := range databasesIn(home) {
		if b := t.openBase(home, d); b != nil {
			t.bases = append(t.bases, b)
		}
	}
	for i, b := range t.bases {
		if i == 0 || b.problem == threadsUnreadable || t.problem == "" {
			t.problem = b.problem
		}
	}
	return t
}

// openBase reads the rows of one database; nil for one that is not Codex's list of threads.
func (t *threads) openBase(home fs.FS, d database) *base {
	as := stampOf(home, d.name)
	for again := threadAttempts - 1; ; again-- {
		b := &base{name: d.name}
		rows, ours := t.load(home, b)
		switch {
		case !ours && !d.named:
			b.close()
			return nil
		case b.problem == "" || b.problem == threadsDamaged && again == 0:
			t.take(b, rows)
			return b
		}
		b.close()
		switch {
		case again > 0:
		case b.broken && as.Size > 0 && stampOf(home, d.name) == as && stampOf(home, d.name+"-journal").Size == 0:
			return &base{name: d.name, problem: threadsDamaged}
		default:
			return &base{name: d.name, problem: threadsUnreadable}
		}
	}
}

// stampOf is the stamp of a file, that of an empty one where there is none.
func stampOf(home fs.FS, name string) (s files.Stamp) {
	if info, err := fs.Stat(home, name); err == nil {
		s = files.StampOf(info)
	}
	return s
}

// isDamage reports whether a database cannot be opened for what is in it, which no later run finds otherwise.
func isDamage(err error) bool {
	code := abi.CodeOf(err)
	return code == sqlitefile.CodeCorrupt || code == sqlitefile.CodeNotDatabase
}

// take adds the rows of a database to those of the others.
func (t *threads) take(b *base, rows map[string]threadRef) {
	if t.rows == nil {
		t.rows = rows
		return
	}
	for id, ref := range rows {
		switch before, twice := t.rows[id]; {
		case twice && before.updated > ref.updated:
		case !twice && len(t.rows) >= t.limit:
			b.more++
		default:
			t.rows[id] = ref
		}
	}
}

// load opens and indexes the table, and notes the problem of it. A database that changed meanwhile
// is unreadable: what seems to be damage may be the change. ours: it has the table.
func (t *threads) load(home fs.FS, b *base) (rows map[string]threadRef, ours bool) {
	var err error
	b.problem = threadsUnreadable
	if b.db, err = sqlitefile.OpenLive(home, b.name, sqlitefile.Limits{MaxRowBytes: 1 << 20}); err != nil {
		b.broken = isDamage(err)
		return nil, false
	}
	names, damage := b.db.Tables()
	table, err := b.db.Table("threads")
	if err != nil {
		b.broken = isDamage(err)
		return nil, false
	}
	for i, name := range threadColumns {
		b.columns[i] = table.Column(name)
	}
	if b.columns[colID] < 0 {
		return nil, false
	}
	b.reader, rows = table.Reader(), map[string]threadRef{}
	b.sort(names)
	err = table.Each(func(row *sqlitefile.Row) error {
		switch id := b.text(row, colID, maxID); {
		case id == "":
			b.odd++
		case len(rows) >= t.limit:
			b.more++
		default:
			r := b.read(row)
			rows[id] = threadRef{b, row.Rowid, r.print(), r.updated.Unix()}
		}
		return nil
	})
	switch err = cmp.Or(err, damage); {
	case !b.db.Still(), err != nil && abi.CodeOf(err) != sqlitefile.CodeCorrupt:
	case err != nil:
		b.problem = threadsDamaged
	default:
		b.problem = ""
	}
	return rows, true
}

// sort tells the tables apart that are not read.
func (b *base) sort(names []string) {
	for _, name := range names {
		switch {
		case name == "threads":
		case slices.Contains(tables, name):
			b.beside++
		default:
			b.others = append(b.others, name)
		}
	}
}

func (b *base) close() {
	if b.db != nil {
		b.db.Close()
	}
}

func (t *threads) close() {
	for _, b := range t.bases {
		b.close()
	}
}

// row reads the present row of a session. ok is false when there is none, or none that
// can still be read.
func (t *threads) row(session string) (r threadRow, ok bool) {
	ref, found := t.rows[session]
	if !found {
		return r, false
	}
	row, err := ref.base.reader.Row(ref.rowid)
	if err != nil || row == nil || ref.base.text(row, colID, maxID) != session {
		return r, false
	}
	return ref.base.read(row), true
}

// others are the tables that the connector does not know, and how many are Codex's own.
func (t *threads) others() (unknown []string, own int64) {
	for _, b := range t.bases {
		own += b.beside
		for _, name := range b.others {
			if !slices.Contains(unknown, name) {
				unknown = append(unknown, name)
			}
		}
	}
	return unknown, own
}

func (b *base) text(row *sqlitefile.Row, column, limit int) string {
	v := row.Value(b.columns[column])
	if v.Kind == sqlitefile.Text {
		text, _ := clip.Bytes(v.Bytes(), limit)
		return text
	}
	return ""
}

func (b *base) number(row *sqlitefile.Row, column int) (int64, bool) {
	v := row.Value(b.columns[column])
	return v.Int(), v.Kind == sqlitefile.Int
}

func (b *base) read(row *sqlitefile.Row) threadRow {
	var r threadRow
	for i := colTitle; i < colArchived; i++ {
		limit := maxField
		if i == colFirstMessage {
			limit = maxFirst
		}
		r.text[i] = b.text(row, i, limit)
	}
	r.text[colRepository] = withoutUserinfo(r.text[colRepository])
	r.archived, r.hasArchived = b.number(row, colArchived)
	r.tokens, r.hasTokens = b.number(row, colTokens)
	if n, ok := b.number(row, colCreated); ok {
		r.created = epoch(n)
	}
	if n, ok := b.number(row, colUpdated); ok {
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
