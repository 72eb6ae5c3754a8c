package launch

import (
	"path/filepath"
	"runtime"
)

// Display is the owner's screen. On macOS a program needs to know nothing of it.
type Display struct {
	X, Authority string // a display of X, and the file that lets a program onto it
	Wayland      string // the socket of a compositor, absolute
}

// DisplayOf returns the screen that an environment names; nil: there is none.
func DisplayOf(getenv func(string) string) *Display { return displayOn(runtime.GOOS, getenv) }

func displayOn(system string, getenv func(string) string) *Display {
	switch {
	case system == "darwin":
		return &Display{}
	case system == "windows": // where no browser is started yet
		return nil
	}
	if x := getenv("DISPLAY"); x != "" {
		authority := getenv("XAUTHORITY")
		if authority == "" {
			authority = filepath.Join(getenv("HOME"), ".Xauthority") // the browser has another home
		}
		return &Display{X: x, Authority: authority}
	}
	socket := getenv("WAYLAND_DISPLAY")
	if socket != "" && !filepath.IsAbs(socket) {
		socket = filepath.Join(getenv("XDG_RUNTIME_DIR"), socket)
	}
	if !filepath.IsAbs(socket) {
		return nil
	}
	return &Display{Wayland: socket}
}

func (d *Display) arguments() []string {
	switch {
	case d.X != "":
		return []string{"--ozone-platform=x11"}
	case d.Wayland != "":
		return []string{"--ozone-platform=wayland"}
	}
	return nil
}

func (d *Display) environment() []string {
	switch {
	case d.X != "":
		return []string{"DISPLAY=" + d.X, "XAUTHORITY=" + d.Authority}
	case d.Wayland != "":
		return []string{"WAYLAND_DISPLAY=" + d.Wayland}
	}
	return nil
}
