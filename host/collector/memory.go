package collector

import (
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/host/run"
	"github.com/pdpp-host/pdpp-host/storage"
)

// Failed is an execution that could not begin, or could deliver nothing. The outbox
// does not hold it: there, nothing has happened. It may name a path and is for this
// machine alone.
type Failed struct {
	BeganAt time.Time `json:"began_at"`
	At      time.Time `json:"at"`
	Code    string    `json:"error_code"`
	Message string    `json:"message"`
	Hint    string    `json:"hint,omitempty"`
	// Delivering says that it is the host that could not be asked, or takes nothing;
	// else it is something on this machine that keeps the connector from running.
	Delivering bool `json:"delivering"`
	// Lasting says that no later execution does better unless somebody does something.
	Lasting bool `json:"lasting"`
}

// memory is what this machine keeps of a lane's executions for its owner, in a file
// beside the outbox, until one succeeds: the failure of the last, and the words and
// names of what the runs left, which are not for a host (LC-08.5).
type memory struct {
	SourceInstanceID string         `json:"source_instance_id"` // the file says nothing of another's
	Failed           *Failed        `json:"failed,omitempty"`
	Left             []run.KnownGap `json:"left,omitempty"`
}

const (
	maxMemory = 1 << 20
	maxLeft   = 100
)

func (c *Collector) memoryPath() string {
	return strings.TrimSuffix(c.deps.LanePath, ".sqlite") + ".last.json"
}

// recall reads the lane's memory. What is not there, or cannot be read, is none.
func (c *Collector) recall() memory {
	none := memory{SourceInstanceID: c.deps.Profile.SourceInstanceID}
	if info, err := os.Lstat(c.memoryPath()); err != nil || !info.Mode().IsRegular() {
		return none
	}
	f, err := os.Open(c.memoryPath())
	if err != nil {
		return none
	}
	defer func() { _ = f.Close() }()
	text, err := io.ReadAll(io.LimitReader(f, maxMemory+1))
	if err != nil {
		return none
	}
	if m, ok := memoryOf(text); ok && m.SourceInstanceID == none.SourceInstanceID {
		return m
	}
	return none
}

func memoryOf(text []byte) (m memory, ok bool) {
	if len(text) > maxMemory || json.Unmarshal(text, &m) != nil {
		return memory{}, false
	}
	m.Left = m.Left[:min(len(m.Left), maxLeft)]
	return m, true
}

// remember keeps what an execution came to. One that was stopped, or typed wrong,
// says nothing new.
func (c *Collector) remember(began time.Time, req RunRequest, r *RunResult, err error) {
	m := c.recall()
	if r != nil && r.Run != nil {
		m.leave(r.Run, len(req.Streams) == 0)
	}
	switch {
	case r != nil && r.Outcome == OutcomeCancelled:
	case err != nil:
		if keeps(err) {
			m.Failed = failedWith(began, c.deps.Now(), problem(err), err)
		}
	case r.Undelivered() != nil:
		m.Failed = failedWith(began, c.deps.Now(), r.Undelivered(), nil)
	default:
		m.Failed = nil
	}
	c.keepMemory(m)
}

// NotBegun keeps why an execution did not come as far as the collector.
func (c *Collector) NotBegun(err error) {
	now := c.deps.Now()
	m := c.recall()
	m.Failed = failedWith(now, now, problem(err), err)
	c.keepMemory(m)
}

// Forget drops what the last execution failed with: it was another credential's.
func (c *Collector) Forget() {
	m := c.recall()
	m.Failed = nil
	c.keepMemory(m)
}

// keeps reports whether an error is of an execution that the lane or its host could
// not make.
func keeps(err error) bool {
	code := abi.CodeOf(err)
	switch area, _, _ := strings.Cut(string(code), "."); {
	case code == abi.CodeStoreLocked: // another process goes on with it
		return false
	case code == storage.CodeLaneMismatch: // the file beside it is another's too
		return false
	case area == "delivery", area == "storage", area == "internal":
		return true
	}
	return refuses(err)
}

func failedWith(began, at time.Time, p *Problem, err error) *Failed {
	area, _, _ := strings.Cut(p.Code, ".")
	f := &Failed{BeganAt: began.UTC(), At: at.UTC(), Code: p.Code, Message: p.Message, Hint: p.Hint, Delivering: area == "delivery"}
	switch code := abi.Code(p.Code); code {
	case CodeUnreachable, CodePaused, CodeAnswer:
	case CodeStateRead:
		if reason, ok := failureOf(err); ok {
			f.Lasting = reason.Class.stops()
		}
	default:
		f.Lasting = true
	}
	return f
}

// leave replaces what is remembered by what a run left. Of what it did not look at,
// or may not have, the words of before stay: what is open says which of them count.
func (m *memory) leave(r *run.Result, whole bool) {
	left := slices.Clone(r.KnownGaps)
	if r.Status != run.StatusSucceeded || !whole {
		for _, old := range m.Left {
			if !slices.ContainsFunc(left, func(g run.KnownGap) bool { return g.Stream == old.Stream && g.Reason == old.Reason }) {
				left = append(left, old)
			}
		}
	}
	m.Left = left[:min(len(left), maxLeft)]
}

// said is what a run said of an open part, nil when nothing is known.
func (m *memory) said(stream, reason string) *run.KnownGap {
	i := slices.IndexFunc(m.Left, func(g run.KnownGap) bool { return g.Stream == stream && g.Reason == reason })
	if i < 0 {
		return nil
	}
	return &m.Left[i]
}

// keepMemory writes the file, or removes it where there is nothing to keep. An
// execution does not fail with it, and makes no folder for it.
func (c *Collector) keepMemory(m memory) {
	err := c.writeMemory(m)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		c.deps.Logger.Warn("how the execution ended could not be kept for status", "error", err.Error())
	}
}

func (c *Collector) writeMemory(m memory) error {
	path := c.memoryPath()
	if m.Failed == nil && len(m.Left) == 0 {
		return os.Remove(path)
	}
	text, err := json.Marshal(m)
	if err != nil {
		return err
	}
	f, err := os.CreateTemp(filepath.Dir(path), ".last-*") // 0600
	if err != nil {
		return err
	}
	_, err = f.Write(text)
	if err = errors.Join(err, f.Close()); err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		_ = os.Remove(f.Name())
	}
	return err
}

// Undelivered is why nothing of what waits was delivered, when the host cannot be
// reached or refuses it. A host that asks for a pause is well, and one that took a
// part is at work. nil: it was delivered, or something else than delivery failed.
func (r *RunResult) Undelivered() *Problem {
	d := r.Delivery
	if r.Outcome != OutcomeBacklog || r.Delivered.Acknowledged > 0 || d == nil || d.Code == string(CodePaused) {
		return nil
	}
	return d
}
