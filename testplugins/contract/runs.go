package contract

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/abi/device"
	"github.com/pdpp-host/pdpp-host/host/run"
)

func (s *suite) resume(ctx context.Context, whole *store) error {
	res, err := whole.play(ctx, run.Request{})
	if err == nil {
		err = succeeded(res)
	}
	if !s.report.judge("resume.accepts", err) {
		return nil
	}
	if err := undelivered(res); err != nil { // of the gaps that the first run left
		s.report.judge("collect.lanes", err)
	}
	if len(s.committed) == 0 {
		s.report.skip("resume.quiet", "the connector keeps no cursor")
		return nil
	}
	var loud []string
	for i := range s.manifest.Streams {
		st := &s.manifest.Streams[i]
		c := res.Records[st.Name]
		n := c.Upserted + c.Deleted + c.Rejected
		if !slices.Contains(s.enumerated, st.Name) { // an enumeration has every record, changed or not
			n += c.Unchanged
		}
		if st.Incremental && n > 0 && !slices.Contains(s.bare, st.Name) {
			loud = append(loud, fmt.Sprintf("%s (%d records)", st.Name, n))
		}
	}
	if len(loud) > 0 {
		err = fmt.Errorf("these came again: %s", strings.Join(loud, ", "))
	}
	s.report.judge("resume.quiet", err)
	return nil
}

func (s *suite) refresh(ctx context.Context, whole *store) error {
	res, err := whole.play(ctx, run.Request{Mode: abi.ModeFullRefresh})
	if err == nil {
		err = succeeded(res)
	}
	for _, name := range slices.Sorted(maps.Keys(s.stored)) {
		if err != nil {
			break
		}
		c := res.Records[name]
		if got, want := c.Unchanged+c.Changed, int64(len(s.stored[name])); got < want {
			err = fmt.Errorf("%d of %d records of stream %s came again", got, want, name)
		}
	}
	s.report.judge("refresh.repeats", err)
	return nil
}

func (s *suite) oneStream(ctx context.Context, _ *store) error {
	if len(s.manifest.Streams) < 2 || s.report.Records == 0 {
		s.report.skip("scope.streams", "there are not two streams, or no records here")
		return nil
	}
	for _, name := range slices.Sorted(maps.Keys(s.stored)) {
		if name == device.CoverageStream { // a run that reads less emits less
			continue
		}
		got, err := s.fresh(ctx, run.Request{Streams: []string{name}})
		if err == nil && !slices.Equal(got[name], s.stored[name]) {
			err = fmt.Errorf("it delivers %d records, and %d together with the others", len(got[name]), len(s.stored[name]))
		}
		if err != nil {
			err = fmt.Errorf("stream %s alone: %w", name, err)
		}
		if !s.report.judge("scope.streams", err) {
			return nil
		}
	}
	return nil
}

func (s *suite) oneKey(ctx context.Context, _ *store) error {
	for i := range s.manifest.Streams {
		st := &s.manifest.Streams[i]
		keys := s.stored[st.Name]
		if st.Name == device.CoverageStream || !st.Selection.Resources || len(keys) < 2 {
			continue
		}
		key := keys[len(keys)/2]
		got, err := s.fresh(ctx, run.Request{Streams: []string{st.Name}, Resources: map[string][]string{st.Name: {key}}})
		if err == nil && !slices.Equal(got[st.Name], []string{key}) {
			err = fmt.Errorf("it delivers %d records", len(got[st.Name]))
		}
		if err != nil {
			err = fmt.Errorf("stream %s with one key: %w", st.Name, err)
		}
		s.report.judge("scope.resources", err)
		return nil
	}
	s.report.skip("scope.resources", "no stream that selects by key has two records here")
	return nil
}

// noTime asks for a time that nothing can be of.
func (s *suite) noTime(ctx context.Context, _ *store) error {
	var bounded []string
	for i := range s.manifest.Streams {
		if st := &s.manifest.Streams[i]; st.ConsentTimeField != "" && len(s.stored[st.Name]) > 0 {
			bounded = append(bounded, st.Name)
		}
	}
	if len(bounded) == 0 {
		s.report.skip("scope.time_range", "no stream with a consent_time_field has records here")
		return nil
	}
	got, err := s.fresh(ctx, run.Request{Streams: bounded, Since: time.Date(9000, 1, 1, 0, 0, 0, 0, time.UTC)})
	for _, name := range bounded {
		if err == nil && len(got[name]) > 0 {
			err = fmt.Errorf("stream %s delivers %d records of the year 9000", name, len(got[name]))
		}
	}
	s.report.judge("scope.time_range", err)
	return nil
}

func (s *suite) empty(ctx context.Context, _ *store) error {
	if declared, _ := s.manifest.Declares(abi.BindingFilesystem); !declared || len(s.Roots) == 0 {
		s.report.skip("collect.empty", "no folder was named, so every run was over empty ones")
		return nil
	}
	st, err := s.newStore(ctx, s.Engine)
	if err != nil {
		return err
	}
	defer st.close()
	st.deps.Roots = roots{suite: s}
	res, err := st.play(ctx, run.Request{})
	if err == nil && res.Reason != string(abi.ReasonConnectorReportedFailed) {
		err = succeeded(res)
	}
	s.report.judge("collect.empty", err)
	return nil
}

func (s *suite) isolation(ctx context.Context, _ *store) error {
	if s.Second == nil {
		s.report.skip("isolation.same", "there is no second isolation mode here")
		return nil
	}
	st, err := s.newStore(ctx, s.Second)
	if err != nil {
		return err
	}
	defer st.close()
	got, err := st.collected(ctx, run.Request{})
	if err == nil && !maps.EqualFunc(got, s.stored, slices.Equal) {
		err = errors.New("the two modes deliver different records")
	}
	s.report.judge("isolation.same", err)
	return nil
}

// fresh makes one run over an empty store and returns the stored records.
func (s *suite) fresh(ctx context.Context, req run.Request) (map[string][]string, error) {
	st, err := s.newStore(ctx, s.Engine)
	if err != nil {
		return nil, err
	}
	defer st.close()
	return st.collected(ctx, req)
}
