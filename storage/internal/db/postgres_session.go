package db

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/storage/internal/postgres"
)

// dial connects. It waits for a server that is being started again for as long as a write
// waits for a lock, or until stop is closed.
func (p *server) dial(stop <-chan struct{}) (session, error) {
	for begin := time.Now(); ; { // elapsed time, not the wall clock
		s, err := p.session(context.Background())
		if err == nil || !postgres.Unreached(err) || time.Since(begin) > p.db.opts.BusyTimeout {
			return s, err
		}
		select {
		case <-stop:
			return nil, err
		case <-time.After(reconnectEvery):
		}
	}
}

const reconnectEvery = 100 * time.Millisecond

func (p *server) session(ctx context.Context) (*serverSession, error) {
	conn, err := p.db.write.Conn(ctx)
	if err != nil {
		return nil, p.db.Fail("open", err)
	}
	s := &serverSession{server: p, conn: conn}
	err = conn.Raw(func(c any) (err error) { s.raw, err = postgres.Conn(c); return err })
	if err != nil {
		return nil, errors.Join(err, conn.Close())
	}
	return s, nil
}

// lock begins a transaction and waits for the store's lock. When stop is closed it no
// longer waits.
func (s *serverSession) lock(stop <-chan struct{}) error {
	wait := s.server.db.opts.BusyTimeout
	ctx, cancel := context.WithTimeout(context.Background(), wait+wait/2+time.Second)
	defer cancel()
	select {
	case <-stop:
		wait, stop = time.Millisecond, nil
	default:
	}
	stopped := make(chan struct{})
	go func() {
		select {
		case <-stop:
			close(stopped)
			cancel()
		case <-ctx.Done():
		}
	}()
	results, err := s.raw.Exec(ctx, fmt.Sprintf(`BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE;
SET LOCAL lock_timeout = %d; SET LOCAL idle_in_transaction_session_timeout = %d; SELECT pg_advisory_xact_lock(%d, %d); SELECT pg_current_xact_id()`,
		max(wait.Milliseconds(), 1), s.server.patience().Milliseconds(), lockClass, s.server.lockKey)).ReadAll()
	select {
	case <-stopped:
		return errClosed
	default:
	}
	if ctx.Err() != nil {
		return abi.NewError(abi.CodeStoreUnavailable, "PostgreSQL does not answer", "look at the server and the network between; what was committed is kept").
			WithDetail(s.server.db.Path).Wrap(err)
	}
	if err != nil {
		return err
	}
	s.xid = string(results[len(results)-1].Rows[0][0])
	return nil
}

// patience is how long the server lets a transaction lie idle: a host that was suspended in
// the middle of one keeps the others out for less time than they wait.
func (p *server) patience() time.Duration { return max(p.db.opts.BusyTimeout/2, 5*time.Second) }

func (s *serverSession) tx() *Tx { t := newTx(s.server.db, s.conn); t.server = s; return t }

// commit ends the transaction. Where the answer is lost it asks what became of it.
func (s *serverSession) commit() error {
	tags, err := s.raw.Exec(context.Background(), "COMMIT").ReadAll()
	switch {
	case err == nil && tags[0].CommandTag.String() != "COMMIT":
		return errors.New("the transaction had failed before its commit")
	case err == nil || !s.raw.IsClosed():
		return err
	}
	return s.server.outcome(s.xid, err)
}

func (s *serverSession) rollback() error {
	_, err := s.raw.Exec(context.Background(), "ROLLBACK").ReadAll()
	return err
}

// foldLog has nothing to do: a server has its own log, and vacuums by itself.
func (s *serverSession) foldLog() error { return nil }

// release gives the connection back to the pool.
func (s *serverSession) release() { _ = s.conn.Close() }

func (s *serverSession) close() {
	_ = s.conn.Raw(func(any) error { return driver.ErrBadConn })
	_ = s.conn.Close()
}

// outcome asks what became of a transaction whose commit got no answer. nil: it is durable.
func (p *server) outcome(xid string, lost error) error {
	ctx, cancel := context.WithTimeout(context.Background(), p.db.opts.BusyTimeout)
	defer cancel()
	for {
		var status string
		// An unknown xid8 reads as NULL, which is no answer either.
		err := p.db.Read.QueryRowContext(ctx, "SELECT coalesce(pg_xact_status(?::xid8), '')", xid).Scan(&status)
		switch {
		case err == nil && status == "committed":
			return nil
		case err == nil && status == "aborted":
			return lost
		}
		select {
		case <-ctx.Done():
			return abi.NewError(abi.CodeStoreUnavailable, "the connection to PostgreSQL was lost during a commit: whether the last write was kept is not known",
				"look with `pdpp-host status` when the server is back, then run again: a run goes on from what is committed").Wrap(lost)
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// Server returns the connection of the transaction; nil where the store is a file.
func (t *Tx) Server() *pgconn.PgConn {
	if t.server == nil {
		return nil
	}
	return t.server.raw
}
