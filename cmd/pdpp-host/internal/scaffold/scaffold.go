package scaffold

import (
	"archive/zip"
	"bytes"
	"cmp"
	"embed"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/pdpp-host/pdpp-host/abi"
)

//go:embed template
var templates embed.FS

// modulePath is the module that holds the SDK.
const modulePath = "github.com/pdpp-host/pdpp-host"

// places are the files that do not lie where their template's name says: one called
// .gitignore would take effect among the templates, and a sample and a simulation are folders.
var places = map[string]string{
	"gitignore": ".gitignore", "first.txt": "sample/first.txt", "second.txt": "sample/deeper/second.txt",
	"simulation.go": "simulation/simulation.go", "serve.go": "simulation/serve/main.go", "messages.json": "sample/january.zip",
}

// The kinds of connectors.
const (
	KindFiles   = "files"   // it reads a folder
	KindHTTP    = "http"    // it asks a service
	KindArchive = "archive" // it reads archives that were downloaded
	KindBrowser = "browser" // it drives a browser on a site
)

// Kinds are all of them.
var Kinds = []string{KindFiles, KindHTTP, KindArchive, KindBrowser}

// tests holds a module of each kind against the contract, in the Makefile's words:
// over the sample, over the simulation that its own test serves, or, without a browser, over
// its manifest alone.
const sampleTest = "go test ./...\n\t\"$(PDPP_HOST)\" plugin test {{.Name}}.wasm --root {{.Name}}=sample --require-records"

var tests = map[string]string{
	KindFiles:   sampleTest,
	KindArchive: sampleTest,
	KindBrowser: "go test ./...\n\t\"$(PDPP_HOST)\" plugin test {{.Name}}.wasm",
	KindHTTP:    "PDPP_HOST=\"$(PDPP_HOST)\" go test -count=1 ./...",
}

// Options says what to write.
type Options struct {
	Dir     string // made when missing; must be empty
	Kind    string // one of Kinds; "": KindFiles
	Name    string // the connector's key; "": the folder's name
	SDK     string // a checkout of this project to build against; "": the released module
	Version string // of the released module, "v1.2.3"
	Go      string // the go directive, "1.26"
	Host    string // the pdpp-host that tests the module, a path; "": the one on the PATH
}

// New writes the folder and returns the names of its files, in order. A folder
// that holds anything is refused, and nothing is overwritten.
func New(o Options) ([]string, error) {
	if o.Name == "" {
		abs, err := filepath.Abs(o.Dir)
		if err != nil {
			return nil, unwritable(o.Dir, err)
		}
		o.Name = strings.ReplaceAll(strings.ToLower(filepath.Base(abs)), "-", "_")
	}
	if !identifier(o.Name) {
		return nil, abi.NewError(abi.CodeUsage, fmt.Sprintf("%q cannot be a connector's name", o.Name),
			"use lower-case letters, digits and '_', beginning with a letter: --name my_connector")
	}
	if o.Kind = cmp.Or(o.Kind, KindFiles); o.Kind == "file" { // as one file would be said
		o.Kind = KindFiles
	}
	if !slices.Contains(Kinds, o.Kind) {
		return nil, abi.NewError(abi.CodeUsage, fmt.Sprintf("%q is no kind of connector", o.Kind), "the kinds are: "+strings.Join(Kinds, ", "))
	}
	entries, err := os.ReadDir(o.Dir)
	switch {
	case err == nil && len(entries) > 0:
		return nil, abi.NewError(abi.CodeUsage, "the folder is not empty", "name a new one").WithDetail(o.Dir)
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return nil, unwritable(o.Dir, err)
	}
	if err := os.MkdirAll(o.Dir, 0o755); err != nil { //nolint:gosec // source code, to be shared; the umask narrows it
		return nil, unwritable(o.Dir, err)
	}
	return o.write()
}

func (o Options) write() ([]string, error) {
	fill := strings.NewReplacer("{{.Name}}", o.Name, "{{.Title}}", title(o.Name), "{{.Env}}", strings.ToUpper(o.Name),
		"{{.Host}}", strings.NewReplacer("$", "$$", "#", `\#`).Replace(cmp.Or(o.Host, "pdpp-host")),
		"{{.Build}}", recipe(false), "{{.BuildTiny}}", strings.ReplaceAll(recipe(true), "$@", o.Name+".wasm"), "{{.Test}}", strings.ReplaceAll(tests[o.Kind], "{{.Name}}", o.Name))
	common, err := fs.Glob(templates, "template/common/*")
	own, errOwn := fs.Glob(templates, "template/"+o.Kind+"/*")
	if err = errors.Join(err, errOwn); err != nil {
		return nil, err
	}
	files := map[string]string{"go.mod": o.goMod()}
	names := []string{"go.mod"}
	for _, template := range append(common, own...) {
		text, err := templates.ReadFile(template)
		if err != nil {
			return nil, err
		}
		name := strings.TrimSuffix(path.Base(template), ".tmpl")
		if place, elsewhere := places[name]; elsewhere {
			name = place
		}
		files[name] = fill.Replace(string(text))
		if path.Ext(name) == ".zip" {
			if files[name], err = zipped(strings.TrimSuffix(path.Base(template), ".tmpl"), files[name]); err != nil {
				return nil, err
			}
		}
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		at := filepath.Join(o.Dir, filepath.FromSlash(name))
		err := os.MkdirAll(filepath.Dir(at), 0o755) //nolint:gosec // source code, to be shared; the umask narrows it
		if err == nil {
			err = create(at, files[name])
		}
		if err != nil {
			return nil, unwritable(o.Dir, err)
		}
	}
	return names, nil
}

// zipped is an archive of one file.
func zipped(name, text string) (string, error) {
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	w, err := z.Create(name)
	if err == nil {
		_, err = io.WriteString(w, text)
	}
	err = errors.Join(err, z.Close()) // writes the directory
	return b.String(), err
}

func (o Options) goMod() string {
	text := fmt.Sprintf("module example.org/%s\n\ngo %s\n\nrequire %s %s\n", o.Name, o.Go, modulePath, o.Version)
	if o.SDK != "" {
		text += fmt.Sprintf("\nreplace %s => %s\n", modulePath, quoted(o.SDK))
	}
	return text
}

// title writes a key as a label: my_notes becomes My Notes.
func title(name string) string {
	words := strings.Split(name, "_")
	for i, w := range words {
		if w != "" {
			words[i] = strings.ToUpper(w[:1]) + w[1:]
		}
	}
	return strings.Join(words, " ")
}

// create never writes over a file that came between.
func create(path, text string) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644) //nolint:gosec // source code, to be shared; the umask narrows it
	if err != nil {
		return err
	}
	_, err = f.WriteString(text)
	return errors.Join(err, f.Close())
}

// Checkout looks for a checkout of this project in dir and the folders above
// it, and returns its path; "" when there is none.
func Checkout(dir string) string {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return ""
	}
	for {
		text, err := os.ReadFile(filepath.Join(abs, "go.mod"))
		if err == nil && bytes.HasPrefix(text, []byte("module "+modulePath+"\n")) {
			return abs
		}
		up := filepath.Dir(abs)
		if up == abs {
			return ""
		}
		abs = up
	}
}

func identifier(name string) bool {
	for i, r := range name {
		letter := r >= 'a' && r <= 'z'
		if !letter && (i == 0 || r != '_' && (r < '0' || r > '9')) {
			return false
		}
	}
	return name != "" && len(name) <= 64
}

// quoted writes a path as go.mod wants one that holds a space or a quote.
func quoted(path string) string {
	if strings.ContainsAny(path, " \t\"'`") {
		return fmt.Sprintf("%q", path)
	}
	return path
}

func unwritable(dir string, err error) error {
	reason := err.Error()
	if pe, ok := errors.AsType[*fs.PathError](err); ok {
		reason = pe.Err.Error()
	}
	return abi.NewError(abi.CodeUsage, "the folder cannot be written", "name another one, or check its permissions").
		WithDetail(dir + ": " + reason).Wrap(err)
}
