package holder

import (
	"crypto/sha256"
	"encoding/hex"
	"os"
	"strconv"
	"strings"
	"sync"
)

// Self names this process for its leases: the machine's boot, the namespace that
// numbers its processes, the process id, the instant that the process began, because
// process ids are used again, and the machine. Containers of one machine share its
// boot, and each numbers its own processes.
func Self() string { return self() }

var self = sync.OnceValue(func() string {
	pid := os.Getpid()
	return strings.Join([]string{bootID(), namespace(), strconv.Itoa(pid), startTime(pid), machine()}, ":")
})

// Alive reports whether the process that Self named still runs. A holder on another
// machine, or one that cannot be judged, counts as alive: its lease runs out by
// itself.
func Alive(holder string) bool {
	if holder == Self() { // each read asks this of its own host
		return true
	}
	part := strings.Split(holder, ":")
	if len(part) < 4 || part[0] == "" || part[1] == "" || part[3] == "" {
		return true
	}
	if part[0] != bootID() && len(part) == 5 && part[4] != "" && part[4] == machine() {
		// No process outlives a boot, even if the clock says that the lease still runs.
		return false
	}
	if part[0] != bootID() || part[1] != namespace() {
		// Another machine or another container: only time can tell.
		return true
	}
	pid, err := strconv.Atoi(part[2])
	if err != nil {
		return true
	}
	return startTime(pid) == part[3]
}

// namespace is the number of the process namespace.
func namespace() string {
	link, err := os.Readlink("/proc/self/ns/pid") // pid:[4026531836]
	if err != nil {
		return ""
	}
	return strings.Trim(strings.TrimPrefix(link, "pid:"), "[]")
}

func bootID() string {
	b, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(b))
}

// Machine names this machine: see machine.
func Machine() string { return machine() }

// machine names this machine: a hash of its id, because the id itself is confidential,
// or "" where it has none. See machine-id(5).
func machine() string {
	b, err := os.ReadFile("/etc/machine-id")
	id := strings.TrimSpace(string(b))
	if err != nil || len(id) != 32 {
		return ""
	}
	sum := sha256.Sum256([]byte("pdpp-host " + id))
	return hex.EncodeToString(sum[:8])
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

// Runs reports whether the process that Self named is one of this machine and of this
// container that still runs. In doubt it is not.
func Runs(holder string) bool {
	part := strings.Split(holder, ":")
	return len(part) >= 4 && part[0] != "" && part[0] == bootID() && part[1] == namespace() && Alive(holder)
}
