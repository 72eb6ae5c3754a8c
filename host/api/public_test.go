package api

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/pdpp-host/pdpp-host/abi/device"
	"github.com/pdpp-host/pdpp-host/host/public"
	"github.com/pdpp-host/pdpp-host/storage"
)

// collects returns a public device that was invited for a connector.
func (h *host) collects(t *testing.T, connector string) *publicDevice {
	t.Helper()
	code, err := device.NewCode(h.random)
	if err == nil {
		err = h.store.NewEnrollmentCode(t.Context(), storage.EnrollmentCode{
			CodeHash: device.SecretHash(code), ConnectorID: connector, Binding: connector, ExpiresAt: time.Now().Add(time.Hour),
		})
	}
	if err != nil {
		t.Fatal(err)
	}
	a := h.ask(http.MethodPost, device.PathEnroll, map[string]any{"enrollment_code": code, "deviceLabel": connector})
	l := &lane{host: h}
	l.must(http.StatusCreated, a, &l.Enrollment)
	return &publicDevice{lane: l, as: strings.ReplaceAll(connector, "_", "-")}
}

// records returns what the store has of a stream, by key.
func (p *publicDevice) records(stream string) map[string]string {
	p.t.Helper()
	all := map[string]string{}
	err := p.store.EachRecord(context.Background(), p.ConnectorInstanceID, stream, func(r storage.Record) error {
		all[r.Key] = string(r.Data)
		return nil
	})
	if err != nil {
		p.t.Error(err)
	}
	return all
}

func (p *publicDevice) lastRun() storage.Run {
	p.t.Helper()
	runs, err := p.store.Runs(context.Background(), p.ConnectorInstanceID, 0)
	if err != nil || len(runs) == 0 {
		p.t.Fatalf("%d runs, %v", len(runs), err)
	}
	return runs[0]
}

// Every public connector delivers to a host that has none installed: whatever members its records have, with the streams
// that the table has, and with one that it has not.
func TestEveryPublicConnectorDelivers(t *testing.T) {
	t.Parallel()
	h := newHost(t)
	connectors := public.Connectors()
	if len(connectors) != 44 {
		t.Errorf("%d public connectors, want 44", len(connectors))
	}
	for _, connector := range connectors {
		p := h.collects(t, connector)
		p.beat("starting")
		m := public.New(connector, nil)
		m.Name("brand_new")
		var batch [][3]string
		for _, s := range m.Streams {
			for n := range 2 {
				key, data := fmt.Sprintf("k%d", n), map[string]any{"more": map[string]any{"n": n}, "list": []int{n}, "nothing": nil}
				fields := []string{}
				for _, field := range s.PrimaryKey {
					data[field], fields = key, append(fields, key)
				}
				if n == 1 {
					data["more"] = "another type"
				}
				if len(fields) > 1 {
					key = `["` + strings.Join(fields, `","`) + `"]`
				}
				text, err := json.Marshal(data)
				if err != nil {
					t.Fatal(err)
				}
				batch = append(batch, [3]string{s.Name, key, string(text)})
			}
		}
		// The keys of composite streams hold quotes, which the hash made by hand does not escape.
		var plain, composite [][3]string
		for _, r := range batch {
			if strings.HasPrefix(r[1], "[") {
				composite = append(composite, r)
			} else {
				plain = append(plain, r)
			}
		}
		p.must(http.StatusCreated, p.deliver(p.batchOf(plain...)), nil)
		for _, r := range plain {
			if got := p.records(r[0])[r[1]]; got != r[2] {
				t.Errorf("%s: record %s of %s is %q, want %q", connector, r[1], r[0], got, r[2])
			}
		}
		p.beat("healthy")
		if run := p.lastRun(); run.Status != "succeeded" || len(run.KnownGaps) != 0 {
			t.Errorf("%s: the run is %s with the gaps %s, want one that succeeded without", connector, run.Status, run.KnownGaps)
		}
		if len(composite) > 0 && connector != "spotify" {
			t.Errorf("%s has a composite key, want it in a test", connector)
		}
	}
}

// A record of a public device that breaks a rule is set aside by itself: it is counted and told until it comes again, and
// the others of its batch are taken.
func TestAPublicRecordIsSetAsideByItself(t *testing.T) {
	t.Parallel()
	p := newHost(t).collects(t, "ical")
	p.beat("starting")
	good := [3]string{"events", "e1", `{"end":null,"id":"e1"}`}
	var answer device.BatchAnswer
	p.must(http.StatusCreated, p.deliver(p.batchOf(good,
		[3]string{"events", "e2", `{"id":"e3"}`}, [3]string{"events", "e4", `{"summary":"no key"}`}, [3]string{"Not A Stream", "x", `{"id":"x"}`},
	)), &answer)
	if answer.Accepted != 1 || answer.Rejected != 3 {
		t.Errorf("%d accepted and %d rejected, want 1 and 3", answer.Accepted, answer.Rejected)
	}
	p.beat("healthy")
	gaps := func() (out []string) {
		var list []struct {
			Stream string `json:"stream"`
			Count  int64  `json:"count"`
		}
		if known := p.lastRun().KnownGaps; len(known) > 0 {
			if err := json.Unmarshal(known, &list); err != nil {
				t.Fatal(err)
			}
		}
		for _, g := range list {
			out = append(out, fmt.Sprintf("%s %d", g.Stream, g.Count))
		}
		return out
	}
	if got, want := gaps(), []string{"events 2", public.Nameless + " 1"}; !slices.Equal(got, want) {
		t.Errorf("gaps: got %q, want %q", got, want)
	}
	p.must(http.StatusCreated, p.deliver(p.batchOf(
		[3]string{"events", "e2", `{"id":"e2"}`}, [3]string{"events", "e4", `{"id":"e4"}`},
	)), nil)
	p.beat("healthy")
	if got, want := gaps(), []string{public.Nameless + " 1"}; !slices.Equal(got, want) {
		t.Errorf("gaps after they were delivered: got %q, want %q", got, want)
	}
	if got := p.records("events"); len(got) != 3 || got["e1"] != good[2] {
		t.Errorf("records: got %v, want e1, e2 and e4", got)
	}
}
