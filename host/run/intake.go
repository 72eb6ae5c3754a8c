package run

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/host/boundary"
	"github.com/pdpp-host/pdpp-host/host/run/internal/fields"
	"github.com/pdpp-host/pdpp-host/host/run/internal/ledger"
	"github.com/pdpp-host/pdpp-host/storage"
)

// When a batch of records goes to storage. Each batch is at least one transaction, so
// small ones cost syncs, and large ones memory: about four are under way at once.
const (
	batchRows  = 5000
	batchBytes = 3 << 20
)

// writeEvery bounds how much of a run is lost when the host is killed, however slowly
// its records come: the open batch, and the ledger of destinations.
const writeEvery = 2 * time.Second

// intake takes a run's records from the gate to the writer, in batches.
type intake struct {
	*journal

	scope      abi.Scope
	gate       *boundary.Gate
	ledger     *ledger.Ledger
	served     ledger.Served
	network    *network
	place      *place
	rejections *rejections
	accepted   func(stream string, key, data []byte, deleted bool) // see Deps.Accepted

	filling  sync.Mutex // guards batch, which writeByTime flushes too
	batch    *storage.Batch
	emitted  int64
	fields   fields.Counts
	nameless []int64 // records that were not sent, without a key that can be told, by place of the stream in scope
	came     []int64 // the emitted ones that are no tombstones, by place of the stream in scope
}

// take takes one or more RECORD lines.
func (in *intake) take(payload []byte) error {
	in.filling.Lock() // once for all of them: records come by the million
	defer in.filling.Unlock()
	return in.gate.Records(payload, in.record)
}

// record takes one record, while in.filling is held.
func (in *intake) record(rec *boundary.Record) error {
	in.emitted++
	if !rec.Delete {
		in.came[rec.Stream]++
	}
	stream := in.scope.Streams[rec.Stream].Name
	in.place.reach(stream, nil)
	if in.ledger.LaneClosed(stream) {
		return abi.NewError(abi.CodeCoverageInvalid, "a record of stream "+stream+" after its DETAIL_COVERAGE",
			"emit DETAIL_COVERAGE after the lane's last record")
	}
	if rec.Rejected != nil {
		return in.reject(rec, stream)
	}
	if in.ledger.NeedsFresh(stream) {
		if err := in.chargeMemory(len(rec.Key)); err != nil {
			return err
		}
	}
	if !rec.Delete && in.fields.Due(rec.Stream) {
		in.gate.Filled(func(name []byte) { in.fields.Filled(rec.Stream, name) })
	}
	in.ledger.Arrived(stream, rec.Key, false)
	in.served.Arrived(stream, rec.Key, ledger.GoodArrival)
	in.rejections.undo(&in.known, rec)
	at := rec.EmittedAt
	if len(at) == 0 { // RT-07.1 lets a deletion come without
		at = in.now().UTC().AppendFormat(nil, time.RFC3339Nano)
	}
	if rec.MovedFrom != nil {
		in.batch.AddMoved(rec.Stream, rec.MovedFrom, rec.Key, rec.Data, at)
	} else {
		in.batch.Add(rec.Stream, rec.Key, rec.Data, at, rec.Delete)
	}
	if in.accepted != nil {
		in.accepted(stream, rec.Key, rec.Data, rec.Delete)
	}
	return in.flushFull()
}

// reject leaves a record out and adds a known gap for it.
func (in *intake) reject(rec *boundary.Record, stream string) error {
	if in.ledger.HasLane(stream) {
		if err := in.chargeMemory(len(rec.Key)); err != nil {
			return err
		}
	}
	in.ledger.Arrived(stream, rec.Key, true)
	in.served.Arrived(stream, rec.Key, ledger.RejectedArrival)
	key := storage.HashKey(rec.Key)
	in.batch.Reject(rec.Stream, key)
	in.rejections.add(&in.known, rec, key, stream)
	return in.flushFull()
}

// withheld notes records that the SDK did not send, since the host would have refused them: they
// are missing like those that it rejects, until a run delivers them. One without a key that
// can be told is missing until a full refresh.
func (in *intake) withheld(skip *abi.SkipResult) error {
	i := slices.Index(in.rejections.streams, skip.Stream)
	if i < 0 || !slices.Contains(keptBack, skip.Reason) {
		return nil
	}
	in.filling.Lock()
	defer in.filling.Unlock()
	if len(skip.ResourceIDs) == 1 {
		in.batch.Reject(i, storage.HashKey([]byte(skip.ResourceIDs[0])))
		return in.flushFull()
	}
	var more struct {
		Records int64 `json:"records"`
	}
	_ = json.Unmarshal(skip.Diagnostics, &more) // only the last word of many has it
	for range min(max(more.Records, 1), storage.MaxListedRejections-in.nameless[i]) {
		in.nameless[i]++
		// No key has a NUL: a run that meets as many again counts them once.
		in.batch.Reject(i, storage.HashKey(fmt.Appendf(nil, "\x00%d", in.nameless[i])))
		if err := in.flushFull(); err != nil {
			return err
		}
	}
	return nil
}

// flushFull flushes a batch that is full, while in.filling is held.
func (in *intake) flushFull() error {
	if in.batch.Len() >= batchRows || in.batch.Bytes() >= batchBytes {
		return in.flushHeld()
	}
	return nil
}

// flush hands the batch to the writer, which goes on while the guest does.
func (in *intake) flush() error {
	in.filling.Lock()
	defer in.filling.Unlock()
	return in.flushHeld()
}

// flushHeld is flush while in.filling is held.
func (in *intake) flushHeld() error {
	if in.batch.Len() == 0 {
		return nil
	}
	if err := in.network.adoptBaseURL(); err != nil {
		return err
	}
	full := in.batch
	in.batch = in.writer.NewBatch()
	return in.stored(in.writer.Write(in.lasting(), full))
}

// writeByTime writes the open batch and the ledger of destinations every writeEvery,
// until ctx ends. It stops a run that cannot write.
func (in *intake) writeByTime(ctx context.Context) {
	tick := time.NewTicker(writeEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			err := in.flush()
			if err == nil {
				err = in.network.writeDestinations()
			}
			if err != nil {
				in.stop(err)
				return
			}
		}
	}
}
