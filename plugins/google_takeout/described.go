package main

import (
	"bytes"
	"io"
	"path"
	"strings"

	"github.com/pdpp-host/pdpp-host/sdk/exports"
)

// pageBytes is how much is read of the page that describes an export: it names each file.
const pageBytes = 32 << 20

// describe finds the folders of products that no stream has, in the language of the account, by the page that
// describes the export: its headings name each folder beside the product in English. A folder that no page
// names is looked at as before.
func (r *run) describe() error {
	r.products = make(map[string]bool)
	for i := range r.folder.Sources {
		s := &r.folder.Sources[i]
		if packed := strings.ToLower(s.Name); strings.HasSuffix(packed, ".tgz") || strings.HasSuffix(packed, ".gz") || strings.HasSuffix(packed, ".tar") {
			continue // nothing in it is found without reading what is in front
		}
		a, err := s.Open(r.folder.Root)
		if err != nil {
			continue // it is told when it is read
		}
		for a.Next() {
			done, size := a.Progress()
			if err := r.h.Progress("looking at "+s.Name, done, size, "bytes"); err != nil {
				a.Close()
				return err
			}
			if e := a.Entry(); e.Problem == nil && isPage(e.Name) {
				r.readPage(io.LimitReader(a, pageBytes))
			}
		}
		a.Close()
	}
	return nil
}

// isPage reports whether a file may be the page that describes an export: it lies right in the folder Takeout.
func isPage(name string) bool {
	return path.Base(path.Dir(name)) == "Takeout" && strings.HasSuffix(strings.ToLower(name), ".html")
}

// readPage reads the names of folders out of a page.
func (r *run) readPage(in io.Reader) {
	const product, name = `data-english-name="`, `data-folder-name="`
	page, err := io.ReadAll(in)
	if err != nil {
		return // it is told when it is read
	}
	for {
		_, behind, found := bytes.Cut(page, []byte(product))
		if !found {
			return
		}
		page = behind
		tag, _, _ := bytes.Cut(behind, []byte(">"))
		english, rest, _ := bytes.Cut(tag, []byte(`"`))
		_, rest, found = bytes.Cut(rest, []byte(name))
		folder, _, closed := bytes.Cut(rest, []byte(`"`))
		if found && closed && others[strings.ToLower(strings.ReplaceAll(string(english), "_", " "))] {
			r.products[strings.ToLower(entities.Replace(string(folder)))] = true
		}
	}
}

// entities are the characters that are escaped in an attribute.
var entities = strings.NewReplacer("&amp;", "&", "&#39;", "'", "&quot;", `"`, "&lt;", "<", "&gt;", ">")

// ruleFor returns the rule by which a file is passed over, "" for one that is to be looked at.
func (r *run) ruleFor(f *exports.File) string {
	if kind := ruleOf(f); kind != "" {
		return kind
	}
	if folder, tells := product(f); tells && r.products[strings.ToLower(folder)] {
		return "products"
	}
	return ""
}
