package device

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/host/public"
)

// Each public connector's records come in from its own collector as it is: what is new, the same again, what changed and what
// went, and behind a lost answer, a 503 and a death of the host, each record once.
func TestThePublicCollectorDeliversEachConnector(t *testing.T) {
	t.Parallel()
	long(t)
	s := newHost(t)
	w := newWay(t, s)
	for i, connector := range public.Connectors() {
		p := s.publicDevice(w, connector)
		known := public.New(connector, nil)
		streams := known.Streams
		made := func(from, n int, word string) (records []sent) {
			for _, stream := range streams {
				for k := from; k < from+n; k++ {
					records = append(records, madeRecord(&stream, k, word))
				}
			}
			return records
		}
		first := append(made(0, 4, "first"), recorded(t, connector)...)
		p.collect(streams, func() { p.deliver(first...) })
		s.tells(p, len(first), 0, 0, 0)
		p.collect(streams, func() { p.deliver(first...) })
		s.tells(p, 0, 0, len(first), 0)

		w.addTrouble(trouble{kind: ingest, do: lose})
		w.addTrouble(trouble{kind: heartbeat, do: lose})
		changed := slices.DeleteFunc(made(0, 1, "changed"), func(r sent) bool { return appends(streams, r) })
		more := append(changed, made(4, 1, "more")...)
		p.collect(streams, func() { p.deliver(more...) })
		s.tells(p, len(streams), len(changed), 0, 0)

		w.addTrouble(trouble{kind: ingest, do: refuse(http.StatusServiceUnavailable, "device_ingest_retryable", "1")})
		w.addTrouble(trouble{kind: commit, do: lose})
		w.addTrouble(trouble{kind: putState, do: lose})
		var gone []sent
		for _, r := range changed {
			gone = append(gone, deletionOf(r["stream"].(string), r["record_key"].(string)))
		}
		p.collect(streams, func() {
			if len(gone) > 0 {
				p.deliver(gone...)
			}
			p.deliver(made(5, 1, "later")...)
		})
		s.tells(p, len(streams), 0, 0, len(gone))

		w.addTrouble(trouble{kind: ingest, do: s.dies(i%2 == 0)})
		w.addTrouble(trouble{kind: []string{commit, heartbeat}[i%2], do: s.dies(i%3 == 0)})
		p.collect(streams, func() { p.deliver(made(6, 2, "last")...) })
		w.clears()
		s.tells(p, 2*len(streams), 0, 0, 0)
		s.holdsPublic(p)
		s.onceEach(&lane{connectionID: p.ConnectorInstanceID})
		tone := "green"
		if known.Capabilities.RefreshPolicy.MaximumStalenessSeconds == 0 { // an import, of which nothing says how recent it has to be
			tone = "grey"
		}
		if got := s.status("of_" + connector).Verdict; got.Channel != "calm" || got.Pill.Tone != tone {
			t.Errorf("%s: %+v, want %s and calm", connector, got, tone)
		}
		if t.Failed() {
			t.FailNow()
		}
	}
	intact(t, s.file())
}

// madeRecord is a record of a stream, made of what is known of the stream.
func madeRecord(s *public.Stream, n int, word string) sent {
	data := map[string]any{"title": fmt.Sprintf("%s of %s, ünïcödé 😀 <&>", word, s.Name), "n": n, "list": []any{n, nil, true}, "more": map[string]any{"a": word}}
	if s.ConsentTimeField != "" {
		data[s.ConsentTimeField] = fmt.Sprintf("2026-01-%02dT10:00:00.000Z", n+1)
	}
	key := fmt.Sprintf("key %d", n)
	var keys []string
	for _, field := range s.PrimaryKey {
		data[field] = key
		keys = append(keys, key)
	}
	if len(keys) > 1 {
		key = string(textOf(keys))
	}
	return recordOf(s.Name, key, data)
}

func appends(streams []public.Stream, r sent) bool {
	return slices.ContainsFunc(streams, func(s public.Stream) bool { return s.Name == r["stream"] && s.Semantics == abi.SemanticsAppendOnly })
}

// recorded are the records that the public connector really made of a home, if one was recorded.
func recorded(t *testing.T, connector string) (records []sent) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("../../plugins", connector, "testdata/public/records.jsonl"))
	if os.IsNotExist(err) {
		return nil
	}
	if err != nil {
		t.Fatal(err)
	}
	for line := range bytes.Lines(text) {
		var r struct {
			Stream string `json:"stream"`
			Key    string `json:"key"`
			Data   any    `json:"data"`
		}
		if err := json.Unmarshal(line, &r); err != nil {
			t.Fatal(err)
		}
		records = append(records, recordOf(r.Stream, r.Key, r.Data))
	}
	return records
}

// dies is the host's death as a request comes, which its client sends to the one that begins again: behind what the request
// brought, or in the midst of it.
func (s *host) dies(behind bool) func(http.ResponseWriter, *hop) {
	return func(rw http.ResponseWriter, h *hop) {
		done := make(chan struct{})
		go func() {
			defer close(done)
			h.forward()
		}()
		if behind {
			<-done
		}
		s.kill()
		<-done
		s.begin()
		cut(rw, h)
	}
}

// tells fails unless the last run of a device has these counts.
func (s *host) tells(p *publicClient, added, changed, unchanged, deleted int) {
	s.t.Helper()
	got := s.sql(`SELECT sum(rs.added), sum(rs.changed), sum(rs.unchanged), sum(rs.deleted) FROM run_streams rs WHERE rs.run_pk =
		(SELECT max(pk) FROM runs WHERE connection_id = ?)`, p.ConnectorInstanceID)
	if want := fmt.Sprintf("%d|%d|%d|%d", added, changed, unchanged, deleted); strings.Join(got, " ") != want {
		s.t.Errorf("%s, run %d: new, changed, unchanged and deleted records: got %v, want %s", p.as, p.runs, got, want)
	}
}

// holdsPublic fails unless the host has the records that a device delivered, as it delivered them.
func (s *host) holdsPublic(p *publicClient) {
	s.t.Helper()
	got := recordsOf(s.t, s.file(), p.ConnectorInstanceID)
	for _, at := range slices.Sorted(maps.Keys(p.want)) {
		var has, want any
		if text, there := got[at]; !there || json.Unmarshal([]byte(text), &has) != nil {
			s.t.Errorf("%s: %s is not there, or is no JSON: %q", p.as, at, text)
		} else if err := json.Unmarshal(textOf(p.want[at]), &want); err != nil || !reflect.DeepEqual(has, want) {
			s.t.Errorf("%s: %s: got %v, want %v", p.as, at, has, want)
		}
		delete(got, at)
	}
	if len(got) > 0 {
		s.t.Errorf("%s: the host has %d records that were not delivered, or were deleted: %v", p.as, len(got), slices.Sorted(maps.Keys(got)))
	}
}
