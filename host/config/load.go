package config

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/spf13/viper"

	"github.com/pdpp-host/pdpp-host/abi"
)

// maxFileBytes bounds the configuration file, which is read completely.
const maxFileBytes = 1 << 20

// Source holds the origins of values other than the defaults.
type Source struct {
	File    string                       // --config; "": the default place, which may be missing
	Environ []string                     // "NAME=value", as os.Environ returns it
	Flags   map[string]Flag              // by key: the flags that were set
	Home    string                       // the user's home folder; "": unknown
	Abs     func(string) (string, error) // makes a path absolute; nil: filepath.Abs
}

// Flag is one flag that was set on the command line.
type Flag struct {
	Name  string // as the user writes it, "--data-dir"
	Value string
}

// value is one key's chosen value before it is parsed.
type value struct {
	key    string
	raw    any
	origin Origin
	src    *Source
}

// Load resolves every key: defaults, then the file, then PDPP_* variables, then
// flags. The error is an *abi.Error: config.unknown_key, config.invalid or
// config.unreadable.
func Load(src Source) (*Config, error) {
	if src.Abs == nil {
		src.Abs = filepath.Abs
	}
	env := environment(src.Environ)
	if err := checkEnvironment(env); err != nil {
		return nil, err
	}
	file, content, err := readFile(src, env)
	if err != nil {
		return nil, err
	}
	v := viper.New()
	v.SetConfigType("yaml")
	if file != "" {
		if err := v.ReadConfig(bytes.NewReader(content)); err != nil {
			return nil, abi.NewError(abi.CodeConfigInvalid, "the configuration file is not valid YAML",
				"correct it, or compare it with `pdpp-host config show`").WithDetail(file + ": " + yamlProblem(err)).Wrap(err)
		}
	}
	if err := checkFileKeys(v.AllKeys(), file); err != nil {
		return nil, err
	}
	c := &Config{file: file, origins: make(map[string]Origin, len(keys))}
	for _, k := range keys {
		val := choose(v, k, env, &src, file)
		c.origins[k.name] = val.origin
		if val.raw == nil {
			if val.raw = c.derived(k.name, &src, env); val.raw == nil {
				continue
			}
		}
		if err := k.parse(c, val); err != nil {
			return nil, err
		}
	}
	if c.dataDir == "" {
		return nil, abi.NewError(abi.CodeConfigInvalid, "the data folder is unknown, because the home folder is",
			"set HOME, or name a folder with --data-dir or "+EnvName(KeyDataDir)).WithDetail("HOME and XDG_DATA_HOME are not set")
	}
	return c, nil
}

// choose picks the highest source that sets k; raw is nil if none does and the default
// has to be derived.
func choose(v *viper.Viper, k key, env map[string]string, src *Source, file string) value {
	if f, ok := src.Flags[k.name]; ok {
		return value{k.name, f.Value, Origin{FromFlag, f.Name}, src}
	}
	if name := EnvName(k.name); env[name] != "" {
		return value{k.name, env[name], Origin{FromEnv, name}, src}
	}
	if raw := v.Get(k.name); raw != nil {
		return value{k.name, raw, Origin{FromFile, file}, src}
	}
	val := value{key: k.name, origin: Origin{Kind: FromDefault}, src: src}
	if k.fallback != "" {
		val.raw = k.fallback
	}
	return val
}

// readFile returns the configuration file's path and content; an empty path if there
// is none at the default place.
func readFile(src Source, env map[string]string) (string, []byte, error) {
	path, must := src.File, true
	if path == "" {
		must = false
		if path = defaultFile(src.Home, env); path == "" {
			return "", nil, nil
		}
	}
	content, err := readBounded(path)
	if err != nil && !must && errors.Is(err, fs.ErrNotExist) {
		return "", nil, nil
	}
	if err != nil {
		detail := path + ": " + reason(err)
		if must {
			detail += ", from --config"
		}
		return "", nil, abi.NewError(abi.CodeConfigUnreadable, "the configuration file cannot be read",
			"name a readable file with --config").WithDetail(detail).Wrap(err)
	}
	abs, err := src.Abs(path)
	if err != nil {
		abs = path
	}
	return abs, content, nil
}

func readBounded(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if st, err := f.Stat(); err != nil {
		return nil, err
	} else if st.IsDir() {
		return nil, errors.New("it is a folder")
	}
	content, err := io.ReadAll(io.LimitReader(f, maxFileBytes+1))
	if err == nil && len(content) > maxFileBytes {
		err = errors.New("it is larger than 1 MiB")
	}
	return content, err
}

// reason drops the operation and path that an os error repeats.
func reason(err error) string {
	if pe, ok := errors.AsType[*fs.PathError](err); ok {
		return pe.Err.Error()
	}
	return err.Error()
}

// yamlProblem keeps only the line of the parser's error, because its text may quote a
// value (Invariant 5).
func yamlProblem(err error) string {
	if m := lineNumber.FindString(err.Error()); m != "" {
		return m
	}
	return "not a map of keys to values"
}

var lineNumber = regexp.MustCompile(`line \d+`)

// checkFileKeys refuses a key that is not in the table.
func checkFileKeys(found []string, file string) error {
	known := Keys()
	slices.Sort(found)
	for _, name := range found {
		if !slices.Contains(known, name) {
			return unknownKey(fmt.Sprintf("unknown configuration key %q", name), file, nearestKey(name, known))
		}
	}
	return nil
}

func unknownKey(message, detail, nearest string) error {
	hint := "`pdpp-host config show` lists every key"
	if nearest != "" {
		hint = fmt.Sprintf("did you mean %q? %s", nearest, hint)
	}
	return abi.NewError(abi.CodeConfigUnknownKey, message, hint).WithDetail(detail)
}

// nearestKey also compares a key's last part, so that "memory" finds "limits.memory".
func nearestKey(name string, known []string) string {
	if n := abi.Nearest(name, known); n != "" {
		return n
	}
	if i := strings.LastIndexByte(name, '.'); i > 0 && slices.Contains(known, name[:i]) {
		return name[:i] // it has nothing below it
	}
	last := name[strings.LastIndexByte(name, '.')+1:]
	parts := make([]string, len(known))
	for i, k := range known {
		parts[i] = k[strings.LastIndexByte(k, '.')+1:]
	}
	if n := abi.Nearest(last, parts); n != "" {
		return known[slices.Index(parts, n)]
	}
	return known[0]
}
