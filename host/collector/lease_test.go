package collector

import (
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pdpp-host/pdpp-host/host/collector/delivery"
	"github.com/pdpp-host/pdpp-host/storage"
)

// LC-03.2, LC-06.1: what a dead process held is claimable again once its lease is
// over, with no help; LC-06.2: a process that wakes up late cannot settle it.
func TestLeasesAreRecoveredAndFenced(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		w.host.manifest = []byte("{}")
		w.enqueue(1)
		s := w.open()
		held, err := s.Claim(t.Context(), storage.ClaimRequest{Holder: "dead", Lease: 300 * time.Second, Limit: 4})
		if err != nil || len(held) != 1 {
			t.Fatalf("%v %v", held, err)
		}
		w.over(func(e *execution) { w.ok(e.deliverFirst(t.Context())) })
		w.same(w.host.count("ingest-batches"), 0, "sent while another holds it")
		time.Sleep(301 * time.Second)
		w.same(w.counts().LifecycleState, storage.LaneStaleLease, "state")
		w.over(func(e *execution) {
			w.ok(e.deliverFirst(t.Context()))
			w.same(e.result.Recovered, 1, "leases recovered")
		})
		w.same(len(w.host.keys("notes")), 1, "records at the host")
		// Awake again, the first process finds that the row is not its own.
		late := &delivery.Deliverer{Store: s, Lane: w.collector().lane, Policy: delivery.Policy{}.OrDefault(), Now: time.Now, Random: func() float64 { return 0 }, Holder: "dead"}
		w.ok(late.Deliver(t.Context(), &held[0]))
		did, _, _ := late.Report()
		w.same(did, delivery.Delivered{LeasesLost: 1}, "what the late one did")
		w.same(w.host.count("ingest-batches"), 1, "sent")
		w.ok(s.Close())
	})
}

// A lease that runs out while its request is under way is lost, whatever the host
// said: the row is settled by who holds it next.
func TestLeaseLostOnTheWay(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		w.host.manifest = []byte("{}")
		w.enqueue(1)
		w.host.fail(func(r *http.Request, _ []byte) (*answer, error) {
			if strings.HasSuffix(r.URL.Path, "/ingest-batches") {
				time.Sleep(301 * time.Second)
			}
			return nil, nil
		})
		w.deps.Policy.RequestTimeout = time.Hour
		w.over(func(e *execution) {
			more, err := e.d.Once(t.Context())
			w.ok(err)
			w.same(more, true, "claimed")
			did, _, _ := e.d.Report()
			w.same(did, delivery.Delivered{LeasesLost: 1}, "what it did")
		})
		w.same(w.counts().StaleLeases, 1, "stale leases")
	})
}

// A row keeps its lease while a slow host answers: it is renewed before each send.
func TestLeaseIsRenewedBeforeEachSend(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		w.host.manifest = []byte("{}")
		w.deps.Policy.Lease, w.deps.Policy.MaxDrain = 100*time.Second, time.Hour
		w.enqueueStreams("notes", "journal", "chats")
		w.host.fail(func(r *http.Request, _ []byte) (*answer, error) {
			if strings.HasSuffix(r.URL.Path, "/ingest-batches") {
				time.Sleep(60 * time.Second) // three of them take longer than one lease
			}
			return nil, nil
		})
		w.over(func(e *execution) {
			w.ok(e.d.Drain(t.Context()))
			did, _, _ := e.d.Report()
			w.same(did, delivery.Delivered{Acknowledged: 4}, "what it did")
		})
	})
}
