package find

import (
	"bytes"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/pdpp-host/pdpp-host/abi"
)

// System is where a browser is looked for.
type System struct {
	GOOS   string
	Getenv func(string) string
	Home   string // the owner's home folder; "": unknown
	// Open opens a file by its absolute path, and Resolve follows its links.
	Open    func(string) (fs.File, error)
	Resolve func(string) (string, error)
	// Registered returns the path that Windows' App Paths have for a program's name; "": none.
	Registered func(program string) string
}

// Here is the system that this program runs on.
func Here(home string) *System {
	return &System{
		GOOS: runtime.GOOS, Getenv: os.Getenv, Home: home, Resolve: filepath.EvalSymlinks, Registered: registered,
		Open: func(name string) (fs.File, error) { return os.Open(name) },
	}
}

// scriptBytes is how much of a script is read to see what it starts.
const scriptBytes = 64 << 10

// onPath are the names of programs on the PATH of a Unix, the preferred one first.
var onPath = []string{"chromium", "google-chrome-stable", "google-chrome", "chromium-browser", "microsoft-edge-stable"}

// programs are what the scripts of packages start. A script adds flags of its own and takes
// others from the environment, so the program itself is started where it is there.
var programs = map[string]string{
	"chromium": debian, "chromium-browser": "/usr/lib/chromium-browser/chromium-browser",
	"google-chrome": "/opt/google/chrome/chrome", "google-chrome-stable": "/opt/google/chrome/chrome", "microsoft-edge-stable": "/opt/microsoft/msedge/msedge",
}

// debian is where Debian's package has the program.
const debian = "/usr/lib/chromium/chromium"

// packages are the commands that install a browser, by what a system calls itself.
var packages = []struct{ id, command string }{
	{"ubuntu", "install Google Chrome from its .deb package (Ubuntu's own chromium is a snap)"},
	{"debian", "install one: apt-get install chromium"},
	{"fedora", "install one: dnf install chromium"},
	{"arch", "install one: pacman -S chromium"},
	{"alpine", "install one: apk add chromium"},
}

// Browser returns the path of the program to start: chosen, where the owner chose one, and
// else the first that is found. The error is browser.missing.
func (s *System) Browser(chosen string) (string, error) {
	if chosen != "" {
		program, problem := s.usable(chosen)
		if problem == "" && program == "" {
			problem = "is no program"
		}
		if problem != "" {
			return "", abi.NewError(abi.CodeBrowserMissing, "the browser of browser.path "+problem, "name another program, or remove browser.path; "+s.install())
		}
		return program, nil
	}
	refused := ""
	for _, name := range s.places() {
		switch program, problem := s.usable(name); {
		case problem != "" && refused == "":
			refused = name + " " + problem
		case program != "":
			return program, nil
		}
	}
	message := "no browser was found"
	if refused != "" {
		message += " that can be used: " + refused
	}
	return "", abi.NewError(abi.CodeBrowserMissing, message, s.install()+"; or name one with browser.path").
		WithDetail("looked for " + strings.Join(s.looked(), ", "))
}

// usable returns the program that the file at name is or starts, and "" for no file; or
// why it is refused.
func (s *System) usable(name string) (program, problem string) {
	file, err := s.Resolve(name)
	if err != nil {
		return "", ""
	}
	f, err := s.Open(file)
	if err != nil {
		return "", ""
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil || !info.Mode().IsRegular() || s.GOOS != "windows" && info.Mode().Perm()&0o111 == 0 {
		return "", ""
	}
	text, err := io.ReadAll(io.LimitReader(f, scriptBytes))
	if err != nil {
		return "", "cannot be read"
	}
	script := bytes.HasPrefix(text, []byte("#!"))
	switch {
	case confined(name, "snap") || confined(file, "snap") || script && bytes.Contains(text, []byte("/snap/")):
		return "", "is a snap, which cannot read the folder of profiles"
	case confined(name, "flatpak") || confined(file, "flatpak") || script && bytes.Contains(text, []byte("flatpak run")):
		return "", "is a flatpak, which cannot read the folder of profiles"
	case !script:
		return file, ""
	}
	if p := programs[path.Base(name)]; p != "" {
		if started, _ := s.usable(p); started != "" {
			return started, ""
		}
	}
	return file, ""
}

// confined reports whether a folder on the way to name is word.
func confined(name, word string) bool {
	return slices.Contains(strings.Split(filepath.ToSlash(name), "/"), word)
}

// places are the absolute names to look at, the preferred one first.
func (s *System) places() []string {
	var out []string
	switch s.GOOS {
	case "windows":
		out = s.onWindows()
	case "darwin":
		for _, app := range []string{"Google Chrome", "Chromium", "Microsoft Edge", "Brave Browser"} {
			for _, dir := range []string{"/Applications", s.Home + "/Applications"} {
				if dir == "/Applications" || s.Home != "" {
					out = append(out, dir+"/"+app+".app/Contents/MacOS/"+app)
				}
			}
		}
	default:
		for _, name := range onPath {
			for dir := range strings.SplitSeq(s.Getenv("PATH"), ":") {
				if path.IsAbs(dir) { // a relative folder would be another one each time
					out = append(out, path.Join(dir, name))
				}
			}
		}
		out = append(out, debian)
	}
	return out
}

// onWindows are the places of Windows: those of installers first, then what is registered.
func (s *System) onWindows() (out []string) {
	for _, variable := range []string{"ProgramFiles", "ProgramFiles(x86)", "LocalAppData"} {
		if dir := s.Getenv(variable); dir != "" {
			for _, below := range []string{`\Google\Chrome\Application\chrome.exe`, `\Chromium\Application\chrome.exe`, `\Microsoft\Edge\Application\msedge.exe`} {
				out = append(out, dir+below)
			}
		}
	}
	for _, program := range []string{"chrome.exe", "msedge.exe"} {
		if name := s.Registered(program); name != "" {
			out = append(out, name)
		}
	}
	return out
}

// looked names what was looked for.
func (s *System) looked() []string {
	if s.GOOS == "windows" || s.GOOS == "darwin" {
		return s.places()
	}
	return append(slices.Clone(onPath), debian)
}

// install says how a browser is installed on this system.
func (s *System) install() string {
	switch s.GOOS {
	case "windows", "darwin":
		return "install Google Chrome, Chromium or Microsoft Edge"
	}
	if f, err := s.Open("/etc/os-release"); err == nil {
		defer f.Close()
		text, _ := io.ReadAll(io.LimitReader(f, scriptBytes))
		for _, p := range packages {
			if bytes.Contains(append([]byte("\n"), text...), []byte("\nID="+p.id+"\n")) {
				return p.command
			}
		}
	}
	return "install the package chromium of your system"
}
