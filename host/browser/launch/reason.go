package launch

import (
	"fmt"
	"strings"
	"sync"

	"github.com/pdpp-host/pdpp-host/abi"
)

// exitProfileInUse is the exit status with which a browser gives way to another one that uses
// its profile.
const exitProfileInUse = 21

// reason says why a browser ended before it could be used.
func (o *Options) reason(status int, said string) *abi.Error {
	switch {
	case status == exitProfileInUse:
		return abi.NewError(abi.CodeBrowserProfileBusy, "another browser uses the profile "+o.Folder, "close that browser; nothing was ended")
	case strings.Contains(said, "No usable sandbox"), strings.Contains(said, "without --no-sandbox"), strings.Contains(said, "Failed to move to new namespace"):
		return noSandbox("the system gives its sandbox no namespaces",
			"allow user namespaces (sysctl kernel.unprivileged_userns_clone=1, or kernel.apparmor_restrict_unprivileged_userns=0; in a container, a seccomp profile that lets unshare pass)")
	default:
		e := abi.NewError(abi.CodeBrowserStart, fmt.Sprintf("the browser %s ended before it could be used (status %d)", o.Program, status), "start it by hand to see what it lacks")
		if line := telling(said); line != "" {
			e = e.WithDetail(line)
		}
		return e
	}
}

// asRoot is why a browser is not started by the superuser.
func asRoot() *abi.Error {
	return noSandbox("its sandbox does not work for the superuser", "run pdpp-host as a user of its own")
}

func noSandbox(why, hint string) *abi.Error {
	return abi.NewError(abi.CodeBrowserSandbox, "the browser is not started without its sandbox: "+why, hint+"; or accept what that means with browser.allow_no_sandbox: true")
}

// telling is the line of what a program said that tells most, short and without control
// characters: the one that ended it, or the last.
func telling(said string) string {
	const most = 200
	said = strings.TrimSpace(said)
	if at := strings.Index(said, ":FATAL:"); at >= 0 {
		said = said[strings.LastIndexByte(said[:at], '\n')+1:]
		said, _, _ = strings.Cut(said, "\n")
	}
	said = said[strings.LastIndexByte(said, '\n')+1:]
	said = strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f {
			return -1
		}
		return r
	}, strings.ToValidUTF8(said, ""))
	if len(said) > most {
		said = strings.ToValidUTF8(said[:most], "")
	}
	return said
}

// saidBytes is how much of what a browser says is kept.
const saidBytes = 16 << 10

// last keeps the end of what is written to it.
type last struct {
	lock sync.Mutex
	text []byte
}

// Write keeps the end of b.
func (l *last) Write(b []byte) (int, error) {
	l.lock.Lock()
	defer l.lock.Unlock()
	l.text = append(l.text, b...)
	if over := len(l.text) - saidBytes; over > 0 {
		l.text = append(l.text[:0], l.text[over:]...)
	}
	return len(b), nil
}

// String is what is kept.
func (l *last) String() string {
	l.lock.Lock()
	defer l.lock.Unlock()
	return string(l.text)
}
