package api

import (
	"sync"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/abi/device"
	"github.com/pdpp-host/pdpp-host/abi/manifest"
	"github.com/pdpp-host/pdpp-host/host/boundary"
)

// maxGates bounds the manifests whose compiled schemas are kept, and idleGates
// what is kept of one.
const (
	maxGates  = 16
	idleGates = 2
)

// gates keeps what is costly to make of a manifest, by the hash of its bytes.
type gates struct {
	mu   sync.Mutex
	kept map[string]*held
	tick int64
}

// held is one manifest that was read, and the gates over it that are idle. A Gate
// serves one request at a time.
type held struct {
	manifest *abi.Manifest
	sha256   string
	streams  []string
	used     int64
	idle     []*boundary.Gate
}

// lookUp returns what is held of a manifest, read when it is not. The error reports a manifest
// that is not valid.
func (g *gates) lookUp(raw []byte) (*held, error) {
	name := device.Sum256(raw)
	g.mu.Lock()
	h := g.kept[name]
	g.touch(h)
	g.mu.Unlock()
	if h != nil {
		return h, nil
	}
	m, err := manifest.Parse(raw)
	if err != nil {
		return nil, err
	}
	h = &held{manifest: m, sha256: name}
	for i := range m.Streams {
		h.streams = append(h.streams, m.Streams[i].Name)
	}
	gate, err := h.compile()
	if err != nil {
		return nil, err
	}
	h.idle = []*boundary.Gate{gate}
	g.mu.Lock()
	defer g.mu.Unlock()
	if other := g.kept[name]; other != nil {
		return other, nil
	}
	if g.kept == nil {
		g.kept = map[string]*held{}
	}
	if len(g.kept) >= maxGates {
		g.forget()
	}
	g.kept[name] = h
	g.touch(h)
	return h, nil
}

// touch makes h the one that was used last.
func (g *gates) touch(h *held) {
	if h != nil {
		g.tick++
		h.used = g.tick
	}
}

// forget drops the one that was used longest ago.
func (g *gates) forget() {
	oldest := ""
	for name, h := range g.kept {
		if oldest == "" || h.used < g.kept[oldest].used {
			oldest = name
		}
	}
	delete(g.kept, oldest)
}

// take returns a gate over every stream of the manifest.
func (g *gates) take(h *held) (*boundary.Gate, error) {
	g.mu.Lock()
	if n := len(h.idle); n > 0 {
		gate := h.idle[n-1]
		h.idle = h.idle[:n-1]
		g.mu.Unlock()
		return gate, nil
	}
	g.mu.Unlock()
	return h.compile()
}

// give hands a gate back that nobody uses any more.
func (g *gates) give(h *held, gate *boundary.Gate) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if len(h.idle) < idleGates {
		h.idle = append(h.idle, gate)
	}
}

func (h *held) compile() (*boundary.Gate, error) {
	scope := abi.Scope{}
	for _, name := range h.streams {
		scope.Streams = append(scope.Streams, abi.StreamScope{Name: name})
	}
	return boundary.New(h.manifest, scope)
}
