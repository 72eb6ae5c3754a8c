package sample

import (
	"sync"
	"time"

	"github.com/pdpp-host/pdpp-host/testplugins/providers/notion"
)

// Notion returns a workspace: pages, and databases with rows.
func Notion(o Options) *notion.Provider {
	m := newMaker(o)
	// While it is filled, time goes from the past to the present.
	clock := &filling{now: o.Now, at: m.ago(2 * m.size)}
	p := notion.New(notion.Options{Token: o.Token, Now: clock.time, Limit: o.Limit})
	for range max(1, m.size/10) {
		database := p.AddDatabase("", m.title(), map[string]any{
			"Count": map[string]any{"id": "count", "name": "Count", "type": "number", "number": map[string]any{"format": "number"}},
		})
		for range 4 {
			clock.pass()
			p.AddRow(database, m.title(), map[string]any{"Count": map[string]any{"id": "count", "type": "number", "number": m.IntN(100)}})
		}
	}
	for range m.size {
		clock.pass()
		p.AddPage(m.title(), nil)
	}
	clock.filled()
	return p
}

// filling is a clock that is turned by hand until the data is there.
type filling struct {
	mu  sync.Mutex
	at  time.Time // zero: filled
	now func() time.Time
}

func (f *filling) time() time.Time {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.at.IsZero() {
		return f.now()
	}
	return f.at
}

func (f *filling) pass() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.at = f.at.Add(37 * time.Minute)
}

func (f *filling) filled() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.at = time.Time{}
}
