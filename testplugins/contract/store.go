package contract

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/host/plugin"
	"github.com/pdpp-host/pdpp-host/host/run"
	"github.com/pdpp-host/pdpp-host/storage"
)

// store is one evidence store of the suite's own and a runner over it.
type store struct {
	suite     *suite
	dir       string
	store     *storage.Store
	deps      run.Deps
	runs      int
	committed []string // streams whose cursor moved in the first run
}

func (s *suite) newStore(ctx context.Context, engine *plugin.Engine) (*store, error) {
	s.runs++
	dir := filepath.Join(s.Dir, fmt.Sprintf("store%d", s.runs))
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	db, err := storage.Open(ctx, storage.Options{Path: filepath.Join(dir, "pdpp.sqlite"), Now: time.Now})
	if err != nil {
		return nil, err
	}
	st := &store{suite: s, dir: dir, store: db}
	st.deps = run.Deps{
		Store: db, Engine: engine, Roots: emptyRoots{s}, Now: time.Now, Holder: run.SelfHolder(), HolderAlive: run.HolderAlive,
		NewID: func() string { st.runs++; return fmt.Sprintf("run_contract_%d_%d", s.runs, st.runs) },
	}
	return st, nil
}

func (st *store) close() {
	_ = st.store.Close()
	_ = os.RemoveAll(st.dir)
}

func (st *store) play(ctx context.Context, req run.Request) (*run.Result, error) {
	req.Module, req.Options, req.Timeout = st.suite.File, st.suite.Options.Options, limit
	res, err := run.New(st.deps).Run(ctx, req)
	if err == nil && st.runs == 1 {
		st.committed = res.Checkpoints.Committed
	}
	return res, err
}

// keys lists what is stored: the live keys of each stream that has some.
func (st *store) keys(ctx context.Context) (map[string][]string, error) {
	streams, err := st.store.Streams(ctx, st.suite.manifest.ConnectorKey)
	if err != nil {
		return nil, err
	}
	out := map[string][]string{}
	for _, info := range streams {
		err := st.store.EachRecord(ctx, st.suite.manifest.ConnectorKey, info.Name, func(r storage.Record) error {
			if !r.Deleted {
				out[info.Name] = append(out[info.Name], r.Key)
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
		slices.Sort(out[info.Name])
	}
	return out, nil
}

// emptyRoots grants the folders the operator named, and an empty one for each
// root that the manifest has besides.
type emptyRoots struct{ suite *suite }

// Resolve implements run.RootResolver.
func (e emptyRoots) Resolve(m *abi.Manifest, _ map[string]string) ([]run.ResolvedRoot, error) {
	var out []run.ResolvedRoot
	for name, path := range e.suite.Roots {
		abs, err := filepath.Abs(path)
		if err != nil {
			return nil, err
		}
		if info, err := os.Stat(abs); err != nil || !info.IsDir() {
			return nil, abi.NewError(abi.CodeRootMissing, fmt.Sprintf("the folder for root %q does not exist", name),
				"name a folder that exists").WithDetail(abs)
		}
		out = append(out, run.ResolvedRoot{Name: name, Path: abs, Origin: "given"})
	}
	if _, named := e.suite.Roots[m.ConnectorKey]; !named {
		empty := filepath.Join(e.suite.Dir, "empty")
		if err := os.MkdirAll(empty, 0o700); err != nil && !errors.Is(err, os.ErrExist) {
			return nil, err
		}
		out = append(out, run.ResolvedRoot{Name: m.ConnectorKey, Path: empty, Origin: "an empty folder"})
	}
	return out, nil
}
