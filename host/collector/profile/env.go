package profile

import (
	"path/filepath"
	"runtime"
)

// Env is what a collector reads of the machine to find its files.
type Env struct {
	Getenv func(string) string
	Home   string // the owner's home folder, "" when there is none
	OS     string // "": the one that this program was built for
}

func (e Env) get(name string) string {
	if e.Getenv == nil {
		return ""
	}
	return e.Getenv(name)
}

func (e Env) os() string {
	if e.OS == "" {
		return runtime.GOOS
	}
	return e.OS
}

// base returns the folder that a variable names when it is absolute, as the XDG
// specification has it, else the folder below home; "" when there is neither.
func (e Env) base(variable string, below ...string) string {
	if dir := e.get(variable); filepath.IsAbs(dir) {
		return dir
	}
	if e.Home == "" {
		return ""
	}
	return filepath.Join(append([]string{e.Home}, below...)...)
}
