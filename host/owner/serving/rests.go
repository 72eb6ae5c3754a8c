package serving

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/host/config"
	"github.com/pdpp-host/pdpp-host/host/owner/modules"
	"github.com/pdpp-host/pdpp-host/host/plugin"
	"github.com/pdpp-host/pdpp-host/storage"
)

// notRestedOn are the keys that change no run: where things are kept, of which the
// module itself is looked at, and what devices deliver to.
var notRestedOn = []string{
	config.KeyDataDir, config.KeyPluginsDir, config.KeyStorageDSN, config.KeyListen, config.KeyTLSCert, config.KeyTLSKey,
}

// restsBytes is how much of the mark is kept: changes are not made to collide, and
// cost a run where they do.
const restsBytes = 8

// rests marks what a run of the connection is begun over besides itself: the module as
// it lies there now, the configuration of this process, and which host judges them. A
// module that is gone is looked for by the probe: there is nothing to try.
func (s *Server) rests(_ context.Context, c storage.Connection) string {
	return restsOn(s.Config, &c, s.request.Version)
}

// surroundings marks the modules that are installed, by name, mode, size and time.
func (s *Server) surroundings(context.Context) string {
	h := sha256.New()
	entries, err := os.ReadDir(s.Config.PluginsDir())
	if err != nil {
		return ""
	}
	for _, e := range entries {
		if filepath.Ext(e.Name()) != plugin.Extension {
			continue
		}
		if info, err := os.Stat(filepath.Join(s.Config.PluginsDir(), e.Name())); err == nil {
			fmt.Fprintf(h, "%q %s %d %d ", e.Name(), info.Mode(), info.Size(), info.ModTime().UnixNano())
		}
	}
	return hex.EncodeToString(h.Sum(nil)[:restsBytes])
}

func restsOn(conf *config.Config, c *storage.Connection, host string) string {
	h := sha256.New()
	put := func(text string) { fmt.Fprintf(h, "%d %s ", len(text), text) }
	file, _, err := modules.Of(conf, c)
	switch code := abi.CodeOf(err); {
	case err == nil:
		put(file.SHA256)
	case code == abi.CodePluginUnknown:
		return ""
	default: // it cannot be read as things are: a limit of the configuration's
		put(string(code))
	}
	put(host)
	putConfigured(h, conf)
	return hex.EncodeToString(h.Sum(nil)[:restsBytes])
}

// putConfigured writes what a run reads of the configuration. A password in an
// address is not among what is shown (Invariant 5).
func putConfigured(w io.Writer, conf *config.Config) {
	for _, v := range conf.Values() {
		if !slices.Contains(notRestedOn, v.Key) {
			fmt.Fprintf(w, "%s %d %s ", v.Key, len(v.Value), v.Value)
		}
	}
}
