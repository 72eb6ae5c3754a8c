package browser

import (
	"bufio"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/go-rod/rod/lib/proto"

	"github.com/pdpp-host/pdpp-host/host/browser/launch"
)

// BenchmarkStart is a start on a profile that was used before, until the gate is proven and
// until the first page has loaded, and what the browser then takes.
func BenchmarkStart(b *testing.B) {
	shop := newSite(b, map[string]string{"/": "<title>shop</title>"})
	r := request(b)
	r.Dialer = shop.known()
	pss, shown, processes := 0.0, 0, 0
	for i := range b.N + 1 {
		if i == 1 {
			b.ResetTimer() // the first start makes the profile
		}
		one, err := Acquire(b.Context(), r)
		if err != nil {
			b.Fatal(err)
		}
		one.trust(b)
		one.open(b, "https://shop.example/")
		b.StopTimer()
		tree := launch.Tree(one.process.PID)
		processes, shown, pss = len(tree), 0, 0
		for _, pid := range tree {
			if kib := proportional(pid); kib > 0 {
				pss += kib
				shown++
			}
		}
		if err := one.Close(); err != nil {
			b.Fatal(err)
		}
		b.StartTimer()
	}
	b.ReportMetric(pss/1024, "PSS-MB")
	b.ReportMetric(float64(processes), "processes")
	b.ReportMetric(float64(shown), "shown") // their memory; a sandbox may hide it
}

// proportional is a process's share of memory, in KiB; 0 where its sandbox hides it.
func proportional(pid int) (kib float64) {
	f, err := os.Open(fmt.Sprintf("/proc/%d/smaps_rollup", pid))
	if err != nil {
		return 0
	}
	defer f.Close()
	for s := bufio.NewScanner(f); s.Scan(); {
		if text, ok := strings.CutPrefix(s.Text(), "Pss:"); ok {
			_, _ = fmt.Sscan(text, &kib) // "Pss:   1234 kB"
		}
	}
	return kib
}

// BenchmarkRequest is one request of a page, eight at a time: past the gate, and with the gate
// taken away.
func BenchmarkRequest(b *testing.B) {
	shop := newSite(b, map[string]string{"/": "<title>shop</title>", "/item": `{"id":1,"name":"` + strings.Repeat("x", 480) + `"}`})
	r := request(b)
	r.Dialer = shop.known()
	one := acquire(b, r)
	one.trust(b)
	page := one.open(b, "https://shop.example/")
	const ask = `(async n => { const one = async () => { while (n-- > 0) await (await fetch("/item", {cache: "no-store"})).json() }; await Promise.all(Array.from({length: 8}, one)) })(%d)`
	page.eval(b, fmt.Sprintf(ask, 500)) // warm, and known to the wall
	run := func(b *testing.B) { page.eval(b, fmt.Sprintf(ask, b.N)) }
	b.Run("gate", run)
	if err := (proto.FetchDisable{}).Call(one.line.On(b.Context(), "")); err != nil {
		b.Fatal(err)
	}
	b.Run("none", run)
}
