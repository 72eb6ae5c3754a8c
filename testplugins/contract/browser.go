package contract

import (
	"context"
	"errors"
	"sync/atomic"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/host/run"
)

// browses reports whether the module's runs have a browser.
func (s *suite) browses() bool {
	declared, _ := s.manifest.Declares(abi.BindingBrowser)
	return declared && s.manifest.Requirements.Browser != nil && s.Browser != nil
}

// browserGone takes a run's browser away behind its first request: it ends with DONE all the same,
// which says that it failed.
func (s *suite) browserGone(ctx context.Context, _ *store) error {
	if !s.browses() {
		return nil
	}
	st, err := s.newStore(ctx, s.Engine)
	if err != nil {
		return err
	}
	defer st.close()
	st.deps.Browser = losing{s.Browser}
	res, err := st.play(ctx, run.Request{})
	switch {
	case err != nil:
	case res.Status == run.StatusSucceeded:
		err = errors.New("it says that it succeeded, although its browser was gone")
	case res.Reason != string(abi.ReasonConnectorReportedFailed):
		err = succeeded(res)
	}
	if err != nil {
		s.report.judge("collect.done", err)
	}
	return nil
}

// losing is a browser that is gone behind a run's first request.
type losing struct{ run.Browser }

func (l losing) Open(ctx context.Context, b run.BrowserRun) (run.Browsing, error) {
	opened, err := l.Browser.Open(ctx, b)
	if err != nil {
		return nil, err
	}
	return &lost{Browsing: opened}, nil
}

type lost struct {
	run.Browsing

	requests atomic.Int64
}

func (l *lost) Do(request []byte, reply func(answer []byte)) error {
	if l.requests.Add(1) == 1 {
		return l.Browsing.Do(request, reply)
	}
	reply([]byte(`{"error":{"code":"` + string(abi.CodeBrowserClosed) + `","message":"the browser is gone"}}` + "\n"))
	return nil
}
