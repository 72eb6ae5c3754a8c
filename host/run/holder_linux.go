package run

import (
	"os"
	"strconv"
	"strings"
)

// SelfHolder names this process for its leases: the machine's boot, the
// process id, and the instant that the process began, so that a number used
// again is not taken for the same process.
func SelfHolder() string {
	pid := os.Getpid()
	return strings.Join([]string{bootID(), strconv.Itoa(pid), startTime(pid)}, ":")
}

// HolderAlive reports whether the process that SelfHolder named still runs. A
// holder on another machine, or one that cannot be judged, counts as alive:
// its lease runs out by itself.
func HolderAlive(holder string) bool {
	part := strings.Split(holder, ":")
	if len(part) != 3 || part[0] == "" {
		return true
	}
	if part[0] != bootID() {
		// Another boot of this machine or another machine: only time can tell.
		return true
	}
	pid, err := strconv.Atoi(part[1])
	if err != nil {
		return true
	}
	return startTime(pid) == part[2] && part[2] != ""
}

func bootID() string {
	b, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(b))
}

// startTime is field 22 of /proc/PID/stat, counted behind the command's
// closing bracket, because a command may hold spaces. A zombie has ended.
func startTime(pid int) string {
	b, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return ""
	}
	_, rest, ok := strings.Cut(string(b), ") ")
	if !ok {
		return ""
	}
	f := strings.Fields(rest)
	if len(f) < 20 || f[0] == "Z" || f[0] == "X" {
		return ""
	}
	return f[19]
}
