package device

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"
	"time"

	"github.com/pdpp-host/pdpp-host/abi/device"
	"github.com/pdpp-host/pdpp-host/storage/evidence"
	"github.com/pdpp-host/pdpp-host/storage/internal/db"
	"github.com/pdpp-host/pdpp-host/storage/internal/tables"
)

// refusedAgain is how often the time of one refusal that comes again is written.
const refusedAgain = time.Minute

// maxRefusal bounds what is kept of a refusal's words, in bytes, and mostRefusals how many are open of a source.
const (
	maxRefusal   = 500
	mostRefusals = 16
)

// RefuseDelivery keeps that a delivery of a source was refused, and why: the last of all until one is taken, and the last
// of each stream and code until one of the stream is. The words must hold no value of a record. beside says that the
// delivery holds no records up, as an artifact does not: the first alone is kept of it.
func (s *Store) RefuseDelivery(ctx context.Context, src *SourceInstance, d RefusedDelivery, beside bool) error {
	d.Code, d.Message, d.Stream = labelOf(d.Code), printable(d.Message, maxRefusal), printable(d.Stream, maxRefusal)
	same := func(o *RefusedDelivery) bool {
		return o.Code == d.Code && o.Stream == d.Stream && o.Message == d.Message && s.db.Now().Sub(o.At) < refusedAgain
	}
	if r := src.Refused; r != nil && r.Code == d.Code && r.Message == d.Message && s.db.Now().Sub(r.At) < refusedAgain &&
		(beside || slices.ContainsFunc(src.Refusals, func(o RefusedDelivery) bool { return same(&o) })) {
		return nil
	}
	return s.db.Alone(ctx, "keep the refusal", func(t *db.Tx) error {
		row, err := feed(t, src)
		if err != nil {
			return err
		}
		row.RefusedUS, row.RefusedCode, row.RefusedSays = db.Micros(t.Now), d.Code, d.Message
		if beside {
			return keepRefusals(t, row, nil)
		}
		all := slices.DeleteFunc(row.ReadRefusals(), func(o tables.Refusal) bool { return o.Stream == d.Stream && o.Code == d.Code })
		all = append([]tables.Refusal{{Stream: d.Stream, Code: d.Code, Says: d.Message, AtUS: db.Micros(t.Now)}}, all...)
		all = all[:min(len(all), mostRefusals)]
		return keepRefusals(t, row, &all)
	})
}

// clearRefusal forgets what was refused before a delivery of streams was taken: of these, and what was of no stream. If streams is
// nil, the device has nothing left to deliver, and tells as a gap what it gave up. A public collector gives records up and tells
// nothing: what was refused of them stays.
func clearRefusal(t *db.Tx, src *tables.SourceJoined, streams []string) error {
	if src.RefusedUS == 0 && src.Refusals == "" {
		return nil
	}
	src.RefusedUS, src.RefusedCode, src.RefusedSays = 0, "", ""
	left := slices.DeleteFunc(src.ReadRefusals(), func(o tables.Refusal) bool {
		return !refusedRecords(o) || slices.Contains(streams, o.Stream) || streams == nil && src.ManifestSHA256 != ""
	})
	return keepRefusals(t, src, &left)
}

// refusedRecords reports whether records of a stream were refused, and not a delivery that lacked a manifest or has no stream.
func refusedRecords(o tables.Refusal) bool {
	return o.Stream != "" && o.Code != device.CodeManifestMissing && o.Code != device.CodeManifestNotAccepted
}

// keepRefusals writes the last refusal of a source's row and, unless all is nil, the open ones.
func keepRefusals(t *db.Tx, src *tables.SourceJoined, all *[]tables.Refusal) error {
	before := src.Refusals
	if all != nil {
		if src.Refusals = ""; len(*all) > 0 {
			text, err := json.Marshal(*all)
			if err != nil {
				return err
			}
			src.Refusals = string(text)
		}
	}
	_, err := t.DB.NewUpdate().Model(&src.SourceRow).WherePK().Column("refused_us", "refused_code", "refused_says", "refusals").Exec(t.Ctx)
	if err != nil || src.Refusals == before {
		return err
	}
	return evidence.DevicesMoved(t, src.ConnectionID)
}

// publicRefusals returns the open refusals of a source, the last first.
func publicRefusals(all []tables.Refusal) []RefusedDelivery {
	var out []RefusedDelivery
	for _, r := range all {
		out = append(out, RefusedDelivery{At: db.Time(r.AtUS), Code: r.Code, Message: r.Says, Stream: r.Stream})
	}
	slices.SortStableFunc(out, func(a, b RefusedDelivery) int { return cmp.Compare(b.At.UnixMicro(), a.At.UnixMicro()) })
	return out
}
