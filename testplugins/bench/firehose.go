package main

import (
	"database/sql"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"time"

	_ "modernc.org/sqlite" // the bare loop

	"github.com/pdpp-host/pdpp-host/testplugins/firehose"
)

// firehose compares the whole pipeline (guest, worker, boundary, storage) with a bare
// loop over the same rows into the same kind of table.
func (b *bench) firehose() error {
	title(fmt.Sprintf("Firehose: %d records to durable rows, synchronous FULL, default isolation", b.records),
		"make bench BENCH='-only firehose'")
	var bareA, bareB, host []time.Duration
	for i := range b.runs + 1 { // the first round warms up
		for _, side := range []string{"bare A", "host", "bare B"} {
			dir := filepath.Join(b.dir, "firehose")
			if err := os.RemoveAll(dir); err != nil {
				return err
			}
			var wall time.Duration
			var err error
			if side == "host" {
				wall, err = b.firehoseHost(dir)
			} else {
				wall, err = b.firehoseBare(dir)
			}
			if err != nil {
				return fmt.Errorf("%s: %w", side, err)
			}
			switch {
			case i == 0:
			case side == "bare A":
				bareA = append(bareA, wall)
			case side == "bare B":
				bareB = append(bareB, wall)
			default:
				host = append(host, wall)
			}
		}
	}
	row("", "median", "min", "max", "records/s")
	row("---", "---", "---", "---", "---")
	for _, s := range []struct {
		name string
		list []time.Duration
	}{{"bare loop (A)", bareA}, {"pdpp-host run, whole process", host}, {"bare loop (A again)", bareB}} {
		lo, hi := spread(s.list)
		row(s.name, median(s.list), lo, hi, int64(float64(b.records)/median(s.list).Seconds()))
	}
	lo, hi := spread(ratios(bareA, host))
	row("**share of the bare loop**", median(ratios(bareA, host)), lo, hi, "")
	lo, hi = spread(ratios(bareA, bareB))
	row("A/A control", median(ratios(bareA, bareB)), lo, hi, "")
	return nil
}

func (b *bench) firehoseHost(dir string) (time.Duration, error) {
	cmd, err := b.command(dir, "run", "firehose", "--set", "records="+strconv.Itoa(b.records), "--no-input", "--accept")
	if err != nil {
		return 0, err
	}
	s, err := measure(cmd)
	return s.wall, err
}

// firehoseBare is the loop that a careful programmer would write by hand: one
// prepared statement, 5,000 rows a transaction, the store's own settings.
func (b *bench) firehoseBare(dir string) (time.Duration, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return 0, err
	}
	began := time.Now()
	db, err := sql.Open("sqlite", "file:"+filepath.Join(dir, "bare.sqlite")+
		"?_pragma=page_size(8192)&_pragma=journal_mode(WAL)&_pragma=synchronous(FULL)&_pragma=wal_autocheckpoint(10000)&_txlock=immediate")
	if err != nil {
		return 0, err
	}
	defer func() { _ = db.Close() }()
	db.SetMaxOpenConns(1)
	if _, err := db.Exec(`CREATE TABLE records (seq INTEGER PRIMARY KEY, stream_id INTEGER NOT NULL, key TEXT NOT NULL,
		data TEXT, UNIQUE (stream_id, key))`); err != nil {
		return 0, err
	}
	for at := 0; at < b.records; at += 5000 {
		if err := bareTransaction(db, at, min(at+5000, b.records)); err != nil {
			return 0, err
		}
	}
	return time.Since(began), nil
}

func bareTransaction(db *sql.DB, from, to int) error {
	tx, err := db.Begin()
	if err != nil {
		return err
	}
	stmt, err := tx.Prepare(`INSERT INTO records (seq, stream_id, key, data) VALUES (?, ?, ?, ?)`)
	if err != nil {
		return err
	}
	defer func() { _ = stmt.Close() }()
	for i := from; i < to; i++ {
		key, data := firehose.Record(i)
		if _, err := stmt.Exec(i+1, 1, string(key), string(data)); err != nil {
			return err
		}
	}
	return tx.Commit()
}
