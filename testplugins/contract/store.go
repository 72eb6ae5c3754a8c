package contract

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/host/files"
	"github.com/pdpp-host/pdpp-host/host/plugin"
	"github.com/pdpp-host/pdpp-host/host/run"
	"github.com/pdpp-host/pdpp-host/host/run/holder"
	"github.com/pdpp-host/pdpp-host/storage"
)

// longest bounds each run of the suite, unless Options.Timeout does.
const longest = 10 * time.Minute

// store is one evidence store of the suite's own and a runner over it.
type store struct {
	suite *suite
	dir   string
	store *storage.Store
	deps  run.Deps
	log   *placesLog
}

func (s *suite) newStore(ctx context.Context, engine *plugin.Engine) (*store, error) {
	s.stores++
	id, runs := s.stores, 0
	dir := filepath.Join(s.Dir, fmt.Sprintf("store%d", id))
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	db, err := storage.Open(ctx, storage.Options{Path: filepath.Join(dir, "pdpp.sqlite"), Now: s.Now})
	if err != nil {
		return nil, err
	}
	st := &store{suite: s, dir: dir, store: db, log: new(placesLog)}
	st.deps = run.Deps{
		Store: db, Engine: engine, Roots: roots{s, s.Roots}, Now: s.Now, Holder: holder.Self(), HolderAlive: holder.Alive,
		NewID:  func() string { runs++; return fmt.Sprintf("run_contract_%d_%d", id, runs) },
		Sender: s.Sender, Browser: s.Browser, Logger: slog.New(st.log),
		Secrets: func(context.Context, *storage.Connection, *abi.Manifest) (run.Secrets, error) {
			return pretended{s}, nil
		},
	}
	if _, required := s.manifest.Declares(abi.BindingInteractive); required {
		st.deps.Asker = &owner{}
	}
	return st, nil
}

func (st *store) close() {
	_ = st.store.Close()
	_ = os.RemoveAll(st.dir)
}

func (st *store) play(ctx context.Context, req run.Request) (*run.Result, error) {
	req.Accept = true // a module under test is its author's own
	req.Module, req.Options, req.Timeout = st.suite.File, st.suite.Options.Options, cmp.Or(st.suite.Timeout, longest)
	return run.New(st.deps).Run(ctx, req)
}

// collected makes a run that must succeed, and returns the stored records.
func (st *store) collected(ctx context.Context, req run.Request) (map[string][]string, error) {
	res, err := st.play(ctx, req)
	if err == nil {
		err = succeeded(res)
	}
	if err != nil {
		return nil, err
	}
	return st.keys(ctx)
}

// keys lists the live keys of each stream that has some, in order.
func (st *store) keys(ctx context.Context) (map[string][]string, error) {
	connection := st.suite.manifest.ConnectorKey
	streams, err := st.store.Streams(ctx, connection)
	if err != nil {
		return nil, err
	}
	out := map[string][]string{}
	for _, info := range streams {
		err := st.store.EachRecord(ctx, connection, info.Name, func(r storage.Record) error {
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

// rootsExist refuses a folder that is given for a root that the connector does not
// have, in the words of a run: else every run would be over an empty one.
func (s *suite) rootsExist() error {
	if len(s.Roots) == 0 {
		return nil
	}
	if declared, _ := s.manifest.Declares(abi.BindingFilesystem); !declared {
		return abi.NewError(abi.CodeRootInvalid, "the connector reads no folders", "leave --root out")
	}
	given := maps.Clone(s.Roots)
	if _, named := given[s.manifest.ConnectorKey]; !named {
		given[s.manifest.ConnectorKey] = s.Dir // so that it has no need of the default
	}
	_, err := new(files.Resolver).Resolve(s.manifest, given, nil)
	return err
}

// roots grants the folders given, and an empty one as the home root when it is
// not among them.
type roots struct {
	suite *suite
	given map[string]string
}

// Resolve implements run.RootResolver.
func (r roots) Resolve(m *abi.Manifest, _ map[string]string, _ []storage.AcceptedItem) ([]run.ResolvedRoot, error) {
	var out []run.ResolvedRoot
	for name, path := range r.given {
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
	if _, named := r.given[m.ConnectorKey]; !named {
		empty := filepath.Join(r.suite.Dir, "empty")
		if err := os.MkdirAll(empty, 0o700); err != nil {
			return nil, err
		}
		out = append(out, run.ResolvedRoot{Name: m.ConnectorKey, Path: empty, Origin: "an empty folder"})
	}
	return out, nil
}
