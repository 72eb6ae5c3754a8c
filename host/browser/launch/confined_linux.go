package launch

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// Confined reports whether every process of the browser that runs pages is in a sandbox: in a
// process namespace of its own, with a filter of system calls. known is false while there is
// no such process to look at.
func (p *Process) Confined() (confined, known bool) {
	confined = true
	for _, pid := range Tree(p.PID) {
		line, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "cmdline"))
		if err != nil || !bytes.Contains(line, []byte("--type=renderer")) {
			continue
		}
		status, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "status"))
		if err != nil {
			continue // it has ended
		}
		known = true
		filtered := strings.Contains(string(status), "\nSeccomp:\t2\n")
		_, namespaces, _ := strings.Cut(string(status), "\nNSpid:")
		namespaces, _, _ = strings.Cut(namespaces, "\n")
		confined = confined && filtered && len(strings.Fields(namespaces)) > 1
	}
	return confined && known, known
}

// Tree returns a process and those that descend from it.
func Tree(root int) []int {
	children := map[int][]int{}
	entries, _ := os.ReadDir("/proc") // without /proc nothing is known
	for _, e := range entries {
		pid, err := strconv.Atoi(e.Name())
		if err != nil {
			continue
		}
		stat, err := os.ReadFile(filepath.Join("/proc", e.Name(), "stat"))
		if err != nil {
			continue
		}
		// The name is in parentheses and may hold anything.
		fields := strings.Fields(string(stat[bytes.LastIndexByte(stat, ')')+1:]))
		if len(fields) > 1 {
			if parent, err := strconv.Atoi(fields[1]); err == nil {
				children[parent] = append(children[parent], pid)
			}
		}
	}
	tree := []int{root}
	for i := 0; i < len(tree); i++ {
		tree = append(tree, children[tree[i]]...)
	}
	slices.Sort(tree)
	return tree
}
