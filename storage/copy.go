package storage

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"strings"
	"time"

	"github.com/uptrace/bun"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/storage/internal/db"
	"github.com/pdpp-host/pdpp-host/storage/internal/tables"
	"github.com/pdpp-host/pdpp-host/storage/outbox"
)

// Codes of Copy.
const (
	// CodeCopyUnfinished is the code of a store that is a copy which was not finished.
	CodeCopyUnfinished abi.Code = "storage.copy_unfinished"
	// CodeCopyRefused is the code of a copy that cannot begin.
	CodeCopyRefused abi.Code = "storage.copy_refused"
	// CodeCopyDiffers is the code of a copy that is not the source's equal.
	CodeCopyDiffers abi.Code = "storage.copy_differs"
)

// CopyOptions says what is copied where. From and To are paths or addresses, as
// Options.Path.
type CopyOptions struct {
	From, To string
	Now      func() time.Time
	Logger   *slog.Logger
	Alive    func(holder string) bool // as in NewRun
	// Process says a holder in words; nil: as it is.
	Process func(holder string) string
	// Witness returns the context that the copy's last transaction records its audit event
	// with (WithAudit). nil: no event.
	Witness func(context.Context) context.Context
}

// Copied says what a copy holds.
type Copied struct {
	Rows, Records int64 // of all tables; of records, tombstones included
	Resumed       bool  // an earlier copy was gone on with
}

// copyTable is a table that a copy takes along, with its primary key.
type copyTable struct {
	name string
	key  []string
}

// copyTables are in the order of their references. Not among them: serving and
// clock, which who writes makes anew, the read state, which is made of the records, and a collector's tables.
var copyTables = []copyTable{
	{"connections", []string{"id"}}, {"leases", []string{"connection_id"}}, {"runs", []string{"pk"}}, {"streams", []string{"id"}},
	{"run_streams", []string{"run_pk", "stream_id"}}, {"records", []string{"seq"}}, {"states", []string{"connection_id", "stream", "bookmark"}},
	{"staged_states", []string{"run_pk", "stream"}}, {"events", []string{"run_pk", "seq"}}, {"coverage", []string{"run_pk", "stream", "state_stream"}},
	{"gaps", []string{"id"}}, {"credentials", []string{"connection_id", "field"}}, {"pressure", []string{"connection_id"}}, {"pauses", []string{"connection_id"}},
	{"destinations", []string{"connection_id", "host"}}, {"books", []string{"connection_id"}}, {"evidence", []string{"connection_id"}}, {"standings", []string{"connection_id", "from_us"}},
	{"schedules", []string{"connection_id"}}, {"due_times", []string{"connection_id"}}, {"dispatches", []string{"pk"}},
	{"confirmations", []string{"connection_id", "action", "version"}}, {"devices", []string{"id"}}, {"enrollment_codes", []string{"code_sha256"}},
	{"source_instances", []string{"id"}}, {"device_batches", []string{"device_id", "batch_id"}}, {"device_commits", []string{"source_id", "commit_id"}},
	{"device_blobs", []string{"connection_id", "sha256"}}, {"device_blob_parts", []string{"connection_id", "sha256", "n"}}, {"removed_credentials", []string{"connection_id", "field"}},
	{"rejected_environments", []string{"connection_id"}}, {"rejected_records", []string{"stream_id", "key_sha256"}}, {"erasures", []string{"connection_id", "stream", "key_sha256"}}, {"erased_blobs", []string{"connection_id", "sha256"}},
	{"delivered_keys", []string{"stream_id", "key"}}, {"enumerations", []string{"id"}}, {"marks", []string{"enumeration_id", "key"}}, {"met", []string{"enumeration_id", "n"}},
	{"audit", []string{"seq"}}, {"questions", []string{"id"}},
	{"notice_channels", []string{"id"}}, {"notice_episodes", []string{"connection_id", "identity"}}, {"notices", []string{"id"}}, {"notice_settings", []string{"name"}},
	{"owners", []string{"name"}}, {"sessions", []string{"id"}}, {"tokens", []string{"id"}}, {"passkeys", []string{"id"}}, {"server_keys", []string{"name"}}, {"answers", []string{"key_sha256"}},
	{"clients", []string{"id"}}, {"grant_requests", []string{"id"}}, {"grants", []string{"id"}}, {"grant_tokens", []string{"id"}}, {"grant_refreshes", []string{"sha256"}}, {"wrong_user_codes", []string{"id"}}, {"disclosures", []string{"seq"}}, {"disclosure_days", []string{"grant_id", "stream", "day"}}, {"declarations", []string{"sha256"}},
}

// ownNumbers are the columns whose numbers a table gives itself, by table.
var ownNumbers = map[string]string{"runs": "pk", "streams": "id", "dispatches": "pk", "audit": "seq", "disclosures": "seq"}

// A transaction of a copy holds at most so much.
const (
	copyRows  = 5000
	copyBytes = 4 << 20
)

// Copy makes a store that is the equal of another, in a file or on PostgreSQL either way.
// Nobody else writes to the source meanwhile. The target is empty, or what an earlier Copy
// left unfinished, which goes on; until every table has been compared, it cannot be opened
// as a store. Errors: storage.copy_refused for a source that is in use or is not there and
// for a target that holds something else, storage.copy_differs when an unfinished target
// is not a part of this source, storage.older_version for a source that this program has not brought
// up to date, and those of Open.
func Copy(ctx context.Context, o CopyOptions) (*Copied, error) {
	if err := distinct(o.From, o.To); err != nil {
		return nil, err
	}
	from, err := openHost(ctx, Options{Path: o.From, Now: o.Now, Logger: o.Logger}, func(ctx context.Context, at db.Options) (*db.DB, error) {
		d, err := db.OpenAsItIs(ctx, at)
		if d == nil && err == nil {
			err = noSource(o.From)
		}
		return d, err
	})
	if err != nil {
		return nil, err
	}
	defer func() { _ = from.Close() }()
	c := &copying{ctx: ctx, options: &o, done: &Copied{}, rows: map[string]int64{}}
	// One transaction of the source for all of it: the copy shows the source at one moment.
	err = from.db.Alone(ctx, "copy the store", func(t *db.Tx) error {
		if err := t.AllowIdle(); err != nil {
			return err
		}
		if err := unused(t, "source", &o); err != nil {
			return err
		}
		to, err := db.Open(ctx, db.Options{Path: o.To, Now: o.Now, Logger: o.Logger, Accept: outbox.Accept(nil, o.To)})
		if err != nil {
			return err
		}
		c.from, c.to = t, to
		same, err := t.WritesTo(ctx, to)
		switch {
		case err != nil:
		case same:
			err = distinct(o.To, o.To)
		default:
			err = c.run()
		}
		return errors.Join(err, to.Close())
	})
	if err != nil {
		return nil, err
	}
	return c.done, nil
}

// distinct refuses a source that is missing, and one that is the target.
func distinct(from, to string) error {
	if from == to {
		return abi.NewError(CodeCopyRefused, "a store cannot be copied to itself", "name another target with --to")
	}
	if db.SameServer(from, to) {
		return distinct(to, to)
	}
	if db.OnServer(from) {
		return nil
	}
	source, err := os.Stat(from)
	if errors.Is(err, fs.ErrNotExist) {
		return noSource(from)
	}
	if err != nil || db.OnServer(to) {
		return err
	}
	if target, err := os.Stat(to); err == nil && os.SameFile(source, target) {
		return distinct(to, to)
	}
	return nil
}

func noSource(from string) error {
	return abi.NewError(CodeCopyRefused, "there is no store to copy", "name an existing one with --from").WithDetail(from)
}

// unused refuses a store that a run or a server uses, which is the copy's source or target.
func unused(t *db.Tx, which string, o *CopyOptions) error {
	l, err := tables.LiveLease(t, "", o.Alive)
	if err != nil {
		return err
	}
	if l != nil {
		return abi.NewError(CodeCopyRefused, "a run is going on, and writes to the "+which, "wait for it to end, or end it").WithDetail("run " + l.RunID)
	}
	var servers []struct {
		Holder    string
		ExpiresUS int64
	}
	if err := t.DB.NewRaw("SELECT holder, expires_us FROM serving").Scan(t.Ctx, &servers); err != nil {
		return err
	}
	for _, s := range servers {
		if tables.LeaseHolds(s.Holder, s.ExpiresUS, t.Now, o.Alive) {
			named := s.Holder
			if o.Process != nil {
				named = o.Process(named)
			}
			return abi.NewError(CodeCopyRefused, "a server runs the "+which+"'s connections", "stop that `pdpp-host serve`, then copy again").WithDetail("it is " + named)
		}
	}
	return nil
}

// copying is one call of Copy.
type copying struct {
	ctx  context.Context //nolint:containedctx // of one call of Copy
	from *db.Tx
	to   *db.DB
	done *Copied

	options *CopyOptions
	rows    map[string]int64 // of each table that was compared
}

func (c *copying) run() error {
	if err := c.begin(); err != nil {
		return err
	}
	for _, t := range copyTables {
		if err := c.table(t); err != nil {
			return err
		}
	}
	for _, t := range copyTables {
		if err := c.compare(t); err != nil {
			return err
		}
	}
	return c.end()
}

// begin marks an empty target, or finds the mark of an earlier copy.
func (c *copying) begin() error {
	return c.to.Alone(c.ctx, "begin the copy", func(t *db.Tx) (err error) {
		if err := unused(t, "target", c.options); err != nil {
			return err
		}
		if c.done.Resumed, err = db.Unfinished(t.Ctx, t.DB); err != nil || c.done.Resumed {
			return err
		}
		for _, table := range copyTables {
			var n int64
			if err := t.DB.QueryRowContext(t.Ctx, "SELECT count(*) FROM "+table.name).Scan(&n); err != nil {
				return err
			}
			if n > 0 {
				return abi.NewError(CodeCopyRefused, "the target holds a store already", "name a new file or an empty database with --to").WithDetail(c.to.Path)
			}
		}
		return t.BeginCopy()
	})
}

// columnsOf returns the columns of a table, in its order.
func columnsOf(ctx context.Context, q bun.IDB, table string) ([]string, error) {
	rows, err := q.QueryContext(ctx, "SELECT * FROM "+table+" LIMIT 0") //nolint:unqueryvet // which columns there are is the question
	if err != nil {
		return nil, err
	}
	defer func() { _ = rows.Close() }()
	names, err := rows.Columns()
	return names, errors.Join(err, rows.Err())
}

// table copies what the target lacks of a table: the rows behind the last that it has, since
// they go in by their key.
func (c *copying) table(t copyTable) error {
	columns, err := columnsOf(c.ctx, c.from.DB, t.name)
	if err != nil {
		return err
	}
	after, err := c.last(t)
	if err != nil {
		return err
	}
	rows, err := c.from.DB.QueryContext(c.ctx, t.query(columns, after), after...)
	if err != nil {
		return err
	}
	defer func() { _ = rows.Close() }()
	kinds, err := c.to.Kinds(c.ctx, t.name)
	if err != nil {
		return err
	}
	for more := rows.Next(); more; {
		if err := c.ctx.Err(); err != nil {
			return err
		}
		err := c.to.Alone(c.ctx, "copy "+t.name, func(w *db.Tx) (err error) {
			more, err = insert(w, t.name, columns, kinds, rows)
			return err
		})
		if c.to.Conflicts(err) { // with a row of an earlier copy, which the source has changed since
			return c.differs("a row of the source's " + t.name + " does not fit into the copy").Wrap(err)
		}
		if err != nil {
			return err
		}
	}
	return rows.Err()
}

// query reads a table by its key, behind a row where after has that row's.
func (t copyTable) query(columns []string, after []any) string {
	key := strings.Join(t.key, ", ")
	where := ""
	if after != nil {
		where = " WHERE (" + key + ") > (" + strings.TrimSuffix(strings.Repeat("?, ", len(t.key)), ", ") + ")"
	}
	return "SELECT " + strings.Join(columns, ", ") + " FROM " + t.name + where + " ORDER BY " + key
}

// last is the key of the last row that the target has; nil: it has none.
func (c *copying) last(t copyTable) ([]any, error) {
	desc := strings.Join(t.key, " DESC, ") + " DESC"
	rows, err := c.to.Read.QueryContext(c.ctx, "SELECT "+strings.Join(t.key, ", ")+" FROM "+t.name+" ORDER BY "+desc+" LIMIT 1")
	if err != nil {
		return nil, err
	}
	defer func() { _ = rows.Close() }()
	if !rows.Next() {
		return nil, rows.Err()
	}
	return db.Scan(rows, len(t.key))
}

// insert adds a bounded number of rows, of which the first is read by Scan. more: there are
// others.
func insert(t *db.Tx, table string, columns []string, kinds map[string]db.Kind, rows *sql.Rows) (more bool, err error) {
	in, err := t.Insert(table, columns, kinds)
	if err != nil {
		return false, err
	}
	more = true
	for n, size := 0, 0; more && n < copyRows && size < copyBytes; n++ {
		values, err := db.Scan(rows, len(columns))
		if err != nil {
			return false, errors.Join(err, in.Close())
		}
		for _, v := range values {
			switch v := v.(type) {
			case string:
				size += len(v)
			case []byte:
				size += len(v)
			}
		}
		if err := in.Add(values); err != nil {
			return false, errors.Join(err, in.Close())
		}
		more = rows.Next()
	}
	return more, in.Close()
}

// end makes the target a store: the change counter goes over, the numbers that tables give
// themselves follow, and the mark goes.
func (c *copying) end() error {
	var last int64
	if err := c.from.DB.QueryRowContext(c.ctx, "SELECT value FROM counters WHERE name = 'change'").Scan(&last); err != nil {
		return err
	}
	return c.to.Alone(c.ctx, "end the copy", func(t *db.Tx) error {
		for table, want := range c.rows { // nobody has written since they were compared
			var got int64
			if err := t.DB.QueryRowContext(t.Ctx, "SELECT count(*) FROM "+table).Scan(&got); err != nil {
				return err
			}
			if got != want {
				return c.differs(fmt.Sprintf("somebody else has written to the copy's %s: %d rows, want %d", table, got, want))
			}
		}
		if _, err := t.DB.ExecContext(t.Ctx, "UPDATE counters SET value = ? WHERE name = 'change'", last); err != nil {
			return err
		}
		for table, column := range ownNumbers {
			if err := t.FollowKeys(table, column); err != nil {
				return err
			}
		}
		if c.options.Witness != nil { // its event is a row more than was compared
			if err := db.RunFirst(c.options.Witness(c.ctx), t); err != nil {
				return err
			}
		}
		return t.EndCopy()
	})
}

// finished refuses to open a copy that was not finished.
func finished(accept func(context.Context, bun.IDB, int) error) func(context.Context, bun.IDB, int) error {
	return func(ctx context.Context, q bun.IDB, applied int) error {
		half, err := db.Unfinished(ctx, q)
		if err == nil && half {
			err = abi.NewError(CodeCopyUnfinished, "the store is a copy that was not finished", "run the same `pdpp-host store copy` again: it goes on from there")
		}
		if err != nil {
			return err
		}
		return accept(ctx, q, applied)
	}
}
