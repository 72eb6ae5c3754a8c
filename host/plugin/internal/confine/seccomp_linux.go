package confine

import (
	"fmt"
	"os"
	"runtime"

	seccomp "github.com/elastic/go-seccomp-bpf"
	"github.com/elastic/go-seccomp-bpf/arch"
	"golang.org/x/sys/unix"
)

// allowed are the system calls of a worker: those of the Go runtime, and those for
// reading and writing open files. Landlock determines which files can be opened, and
// conditional determines how. A name that a processor does not have is skipped.
var allowed = []string{
	// Files and pipes.
	"read", "readv", "pread64", "write", "writev", "pwrite64", "lseek", "close",
	"fstat", "newfstatat", "fstatat64", "fstatat", "statx", "readlinkat", "getdents64", "faccessat", "faccessat2", "pipe2",
	"epoll_create1", "epoll_ctl", "epoll_pwait", "epoll_pwait2", "epoll_wait", "eventfd2", "poll", "ppoll",
	// Memory.
	"mmap", "munmap", "mprotect", "mremap", "madvise", "mincore", "brk",
	// Threads and time.
	"futex", "sched_yield", "sched_getaffinity", "set_robust_list", "rseq", "membarrier", "arch_prctl", "exit", "exit_group",
	"nanosleep", "clock_nanosleep", "clock_gettime", "clock_getres", "gettimeofday", "restart_syscall",
	"rt_sigaction", "rt_sigprocmask", "rt_sigreturn", "sigaltstack", "getpid", "gettid", "getrandom",
}

// writing are the calls that store compiled code in the cache.
var writing = []string{"openat", "mkdirat", "renameat", "renameat2", "unlinkat", "fchmod", "fchmodat", "fchmodat2", "ftruncate", "fsync"}

// changes are the flags of an open that may create a file, change it or empty it. In
// kernels before 6.2, O_TRUNC can empty every file that Landlock lets the process
// read.
const changes = unix.O_WRONLY | unix.O_RDWR | unix.O_CREAT | unix.O_TRUNC

// nameRegion is prctl's PR_SET_VMA, with which the Go runtime names its memory.
const nameRegion = 0x53564d41

// conditional returns the calls that are allowed only with these arguments: threads of
// this process but no child, signals to this process only, its own limits, only the
// flags of a descriptor, and files for reading unless canWrite.
func conditional(canWrite bool) []seccomp.NameWithConditions {
	with := func(name string, c ...seccomp.Condition) seccomp.NameWithConditions {
		return seccomp.NameWithConditions{Name: name, Conditions: c}
	}
	first := func(v uint64) seccomp.Condition {
		return seccomp.Condition{Argument: 0, Operation: seccomp.Equal, Value: v}
	}
	all := []seccomp.NameWithConditions{
		with("clone", seccomp.Condition{Argument: 0, Operation: seccomp.BitsSet, Value: unix.CLONE_THREAD}),
		with("tgkill", first(uint64(os.Getpid()))),
		with("prlimit64", first(0)),
		with("prctl", first(nameRegion)),
	}
	for _, cmd := range []uint64{unix.F_DUPFD_CLOEXEC, unix.F_GETFD, unix.F_SETFD, unix.F_GETFL, unix.F_SETFL} {
		all = append(all, with("fcntl", seccomp.Condition{Argument: 1, Operation: seccomp.Equal, Value: cmd}))
	}
	if !canWrite {
		all = append(all, with("openat", seccomp.Condition{Argument: 2, Operation: seccomp.BitsNotSet, Value: changes}))
	}
	return all
}

// seccompMissing returns why there is no filter here; "" if there is one.
func seccompMissing() string {
	switch {
	case runtime.GOARCH != "amd64" && runtime.GOARCH != "arm64":
		return "this host has no filter for the processor " + runtime.GOARCH
	case !seccomp.Supported():
		return "the kernel has none"
	default:
		return ""
	}
}

// restrictCalls refuses every other system call with EPERM, in every thread. openat2
// and clone3 appear not to exist: a filter cannot see their flags behind a pointer,
// and a program that tries them first falls back to openat and clone.
func restrictCalls(canWrite bool) error {
	processor, err := arch.GetInfo("")
	if err != nil {
		return fmt.Errorf("seccomp: %w", err)
	}
	var names []string
	for _, list := range [][]string{allowed, writing} {
		for _, name := range list {
			if _, known := processor.SyscallNames[name]; known {
				names = append(names, name)
			}
		}
		if !canWrite {
			break
		}
	}
	runtime.LockOSThread() // the filter's no_new_privs belongs to one thread until it is spread
	defer runtime.UnlockOSThread()
	return seccomp.LoadFilter(seccomp.Filter{
		NoNewPrivs: true,
		Flag:       seccomp.FilterFlagTSync,
		Policy: seccomp.Policy{
			DefaultAction: seccomp.ActionErrno,
			Syscalls: []seccomp.SyscallGroup{
				{Names: names, NamesWithCondtions: conditional(canWrite), Action: seccomp.ActionAllow},
				{Names: []string{"clone3", "openat2"}, Action: seccomp.ActionErrno | seccomp.Action(unix.ENOSYS)},
			},
		},
	})
}
