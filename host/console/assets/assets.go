package assets

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"io/fs"
	"mime"
	"net/http"
	"path"
	"strings"
	"sync"
)

// Prefix is where assets are served.
const Prefix = "/assets/"

// Worker is where the service worker is served: at the root, since a browser lets it stand
// for pages below its own folder alone, and at the same address always, which a browser asks
// again for news.
const Worker = "/" + worker

const worker = "sw.js"

//go:embed static
var static embed.FS

type file struct {
	kind          string
	plain, zipped []byte
}

// served are the assets as a host serves them.
type served struct {
	paths map[string]string // by name
	files map[string]file   // by path
}

// all hashes and compresses the embedded bytes when they are first asked for: most commands,
// and every worker, serve none of them.
var all = sync.OnceValue(func() served {
	entries, err := fs.ReadDir(static, "static")
	if err != nil {
		panic(err) // the bytes are part of the program
	}
	out := served{map[string]string{}, map[string]file{}}
	for _, e := range entries {
		plain, err := static.ReadFile("static/" + e.Name())
		if err != nil {
			panic(err)
		}
		sum := sha256.Sum256(plain)
		at := Prefix + hex.EncodeToString(sum[:6]) + "/" + e.Name()
		if e.Name() == worker {
			at = Worker
		}
		out.paths[e.Name()] = at
		out.files[at] = file{kindOf(e.Name()), plain, zip(plain)}
	}
	return out
})

func kindOf(name string) string {
	if kind := mime.TypeByExtension(path.Ext(name)); kind != "" {
		return kind
	}
	return "application/octet-stream"
}

func zip(plain []byte) []byte {
	var b bytes.Buffer
	w, err := gzip.NewWriterLevel(&b, gzip.BestCompression)
	if err == nil {
		_, err = w.Write(plain)
	}
	if err == nil {
		err = w.Close()
	}
	if err != nil || b.Len() >= len(plain) {
		return nil
	}
	return b.Bytes()
}

// Path returns the address of the asset of that name. It panics for a name that there is
// none of: names are written in the program.
func Path(name string) string {
	at, ok := all().paths[name]
	if !ok {
		panic("no asset " + name)
	}
	return at
}

// Handler serves the assets. It is safe for concurrent use.
func Handler() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		f, ok := all().files[r.URL.Path]
		if !ok {
			http.NotFound(w, r)
			return
		}
		h := w.Header()
		h.Set("Content-Type", f.kind)
		h.Set("Cache-Control", "public, max-age=31536000, immutable")
		if r.URL.Path == Worker {
			h.Set("Cache-Control", "no-cache")
		}
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Cross-Origin-Resource-Policy", "same-origin")
		h.Set("Vary", "Accept-Encoding")
		body := f.plain
		if f.zipped != nil && strings.Contains(r.Header.Get("Accept-Encoding"), "gzip") {
			h.Set("Content-Encoding", "gzip")
			body = f.zipped
		}
		_, _ = w.Write(body) // the browser went away
	})
}
