package main

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// executions is how often a collector is run until everything is delivered. One
// execution bounds its deliveries, and leaves the rest to the next.
const executions = 20

// device compares the way over another machine (collect there, deliver, confirm) with a
// run of the host itself over the same folder. Both ends of the delivery are on this
// machine and share its processors.
func (b *bench) device() error {
	title("claude_code over a generated folder, by a local collector to a host on the same machine", "make bench BENCH='-only device'")
	input := filepath.Join(b.dir, "home-device")
	bytes, err := b.generate(b.deviceSize, input)
	if err != nil {
		return err
	}
	var here, again []sample
	var there []delivery
	for i := range b.runs + 1 {
		one, err := b.collectHere(input)
		if err != nil {
			return err
		}
		d, err := b.collectThere(input)
		if err != nil {
			return err
		}
		two, err := b.collectHere(input)
		if err != nil {
			return err
		}
		if i > 0 {
			here, there, again = append(here, one), append(there, *d), append(again, two)
		}
	}
	b.tellDelivery(bytes, here, again, there)
	return os.RemoveAll(input)
}

func (b *bench) tellDelivery(bytes int64, here, again []sample, there []delivery) {
	all, idle := make([]sample, len(there)), make([]time.Duration, len(there))
	hosts, outboxes, cpu, hostCPU := make([]int64, len(there)), make([]int64, len(there)), make([]time.Duration, len(there)), make([]time.Duration, len(there))
	for i, d := range there {
		all[i], idle[i], hosts[i], outboxes[i], cpu[i], hostCPU[i] = d.sample, d.idle, d.host, d.outbox, d.cpu, d.hostCPU
	}
	row(fmt.Sprintf("%d bytes", bytes), "median", "min", "max", "MB/s", "peak memory")
	row("---", "---", "---", "---", "---", "---")
	for _, s := range []struct {
		name string
		list []sample
		peak string
	}{
		{"pdpp-host run (A)", here, "host and worker " + megabytes(peaks(here))},
		{"collector, until all is confirmed", all, "collector and worker " + megabytes(peaks(all)) + ", host " + megabytes(hosts)},
		{"pdpp-host run (A again)", again, "host and worker " + megabytes(peaks(again))},
	} {
		lo, hi := spread(walls(s.list))
		row(s.name, median(walls(s.list)), lo, hi, float64(bytes)/1e6/median(walls(s.list)).Seconds(), s.peak)
	}
	lo, hi := spread(idle)
	row("collector, nothing new", median(idle), lo, hi, "", "")
	share := ratios(walls(here), walls(all))
	rlo, rhi := spread(share)
	row("**share of the host's own run**", median(share), rlo, rhi, "", "")
	share = ratios(walls(here), walls(again))
	rlo, rhi = spread(share)
	row("A/A control", median(share), rlo, rhi, "", "")
	d := there[len(there)-1]
	fmt.Printf("\nprocessor time: collector and worker %s, host %s; %d deliveries in %d execution(s); the outbox is left with %s\n",
		median(cpu).Round(time.Millisecond), median(hostCPU).Round(time.Millisecond), d.deliveries, d.executions, megabytes(outboxes))
}

func megabytes(list []int64) string {
	return fmt.Sprintf("%d MB (largest %d MB)", median(list)>>20, maxOf(list)>>20)
}

func (b *bench) collectHere(input string) (sample, error) {
	data := filepath.Join(b.dir, "device-here")
	if err := os.RemoveAll(data); err != nil {
		return sample{}, err
	}
	cmd, err := b.command(data, "run", "claude_code", "--root", "claude_code="+input, "--no-input", "--accept")
	if err != nil {
		return sample{}, err
	}
	return measure(cmd)
}

// delivery is one folder that came to a host by a collector.
type delivery struct {
	sample

	cpu, hostCPU time.Duration
	idle         time.Duration // of an execution that found nothing new
	host         int64         // peak memory of the host's process
	outbox       int64         // bytes of its files, once all is delivered
	deliveries   int64         // that the host acknowledged
	executions   int
}

// collectThere enrols a new device with a new host, and makes it deliver.
func (b *bench) collectThere(input string) (d *delivery, err error) {
	dir := filepath.Join(b.dir, "device-there")
	if err := os.RemoveAll(dir); err != nil {
		return nil, err
	}
	s, err := b.serve(filepath.Join(dir, "host"))
	if err != nil {
		return nil, err
	}
	defer func() {
		if cmd := s.stop(); err == nil {
			d.hostCPU = cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
		}
	}()
	code, err := b.invite(filepath.Join(dir, "host"))
	if err != nil {
		return nil, err
	}
	set, err := b.collectorCommand(dir, "setup", "--base-url", "http://"+s.address, "--code-stdin", "--accept", "--root", "claude_code="+input)
	if err != nil {
		return nil, err
	}
	set.Stdin = strings.NewReader(code + "\n")
	if out, err := set.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("setup: %w\n%s", err, out)
	}
	if d, err = b.deliver(dir); err != nil {
		return nil, err
	}
	d.host = highWater(s.cmd.Process.Pid)
	if d.outbox, err = treeSize(filepath.Join(dir, ".local", "state")); err != nil {
		return nil, err
	}
	one, r, err := b.execution(dir)
	if err == nil && !r.complete() {
		err = fmt.Errorf("the execution with nothing new ends as %s", r.Outcome)
	}
	d.idle = one.wall
	return d, err
}

// deliver runs the collector until the host has confirmed everything.
func (b *bench) deliver(dir string) (*delivery, error) {
	d := new(delivery)
	for d.executions < executions {
		s, r, err := b.execution(dir)
		if err != nil {
			return nil, err
		}
		d.executions++
		d.wall, d.cpu, d.rss = d.wall+s.wall, d.cpu+s.cpu, max(d.rss, s.rss)
		d.deliveries += r.Delivered.Acknowledged
		if r.complete() {
			return d, nil
		}
	}
	return nil, fmt.Errorf("after %d executions not all is delivered", executions)
}

// executed is the part of an execution's result that is looked at.
type executed struct {
	Outcome   string
	Delivered struct{ Acknowledged int64 }
	Outbox    struct {
		Pending, Retrying, Leased int64
		DeadLetter                int64 `json:"dead_letter"`
	}
	SkippedScan   bool `json:"skipped_scan_for_backlog"`
	BudgetReached bool `json:"scan_budget_reached"`
}

func (r *executed) complete() bool {
	o := &r.Outbox
	return !r.SkippedScan && !r.BudgetReached && o.Pending+o.Retrying+o.Leased+o.DeadLetter == 0
}

func (b *bench) execution(dir string) (sample, *executed, error) {
	cmd, err := b.collectorCommand(dir, "run", "--json")
	if err != nil {
		return sample{}, nil, err
	}
	s, err := measure(cmd)
	if err != nil {
		return s, nil, err
	}
	r := new(executed)
	return s, r, resultOf(s.out, r)
}

// resultOf reads the output of a command with --json.
func resultOf(out []byte, into any) error {
	answer := struct {
		Result any `json:"result"`
	}{into}
	if err := json.Unmarshal(out, &answer); err != nil {
		return fmt.Errorf("%w\n%s", err, out)
	}
	return nil
}

// collectorCommand is a command of a collector with a separate home.
func (b *bench) collectorCommand(home string, args ...string) (*exec.Cmd, error) {
	cmd, err := b.commandOf(b.collector, filepath.Join(home, "data"), args...)
	if err == nil {
		cmd.Env = append(cmd.Env, "HOME="+home) // the last one counts
	}
	return cmd, err
}

func (b *bench) invite(data string) (string, error) {
	cmd, err := b.command(data, "devices", "invite", "claude_code", "--yes", "--json")
	if err != nil {
		return "", err
	}
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("invite: %w\n%s", err, out)
	}
	var v struct {
		Code string `json:"enrollment_code"`
	}
	err = resultOf(out, &v)
	return v.Code, err
}
