package console

import (
	"bytes"
	"flag"
	"image"
	"image/color"
	"image/png"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/pdpp-host/pdpp-host/testplugins/rig/browser"
)

var updatePictures = flag.Bool("pictures", false, "write the pictures of docs/images")

// The pictures that docs/console.md shows.
const (
	picturesFolder = "../../docs/images"
	mostPicture    = 60_000 // bytes
	mostColours    = 64
	leastColours   = 12 // of a page that is not blank
)

// OC-13, OC-17: a browser paints each page that docs/console.md shows, of a host with real runs,
// in both looks.
func TestPictures(t *testing.T) {
	t.Parallel()
	browser.Find(t)
	owner := collected(t)
	owner.Says(0, "run", "github", "--no-input")
	cookie := owner.Claim()
	var runs struct {
		Runs []struct {
			ID        string `json:"run_id"`
			Connector string
		}
	}
	owner.Asks(0, &runs, "runs", "list")
	paths := map[string]string{"overview": "/", "connection": "/connections/github", "run": "", "data": "/data"}
	for _, r := range runs.Runs {
		if r.Connector == "github" {
			paths["run"] = "/runs/" + r.ID // the first one, which has records
		}
	}
	document, err := os.ReadFile("../../docs/console.md")
	if err != nil {
		t.Fatal(err)
	}
	for look, dark := range map[string]bool{"light": false, "dark": true} {
		t.Run(look, func(t *testing.T) {
			t.Parallel()
			v := browser.Visit(t, owner.Origin(), browser.Options{Dark: dark, Width: 1120, Height: 700})
			v.Give(cookie)
			p := v.Page()
			for name, path := range paths {
				p.Open(path)
				p.See("github")
				picture := reduced(t, p.Picture(false))
				file := filepath.Join(picturesFolder, name+"-"+look+".png")
				if *updatePictures {
					if err := os.WriteFile(file, picture, 0o644); err != nil { //nolint:gosec // a document
						t.Fatal(err)
					}
				}
				kept, err := os.ReadFile(file)
				if err != nil || len(kept) > mostPicture {
					t.Errorf("%s: %d bytes, %v, want at most %d; `make pictures` writes it", file, len(kept), err, mostPicture)
				}
				if !strings.Contains(string(document), "images/"+filepath.Base(file)) {
					t.Errorf("docs/console.md does not show %s", filepath.Base(file))
				}
			}
		})
	}
}

// reduced is a picture with few colours, which takes little room. It fails for one on which
// nothing is painted.
func reduced(t *testing.T, whole []byte) []byte {
	t.Helper()
	from, err := png.Decode(bytes.NewReader(whole))
	if err != nil {
		t.Fatal(err)
	}
	times := map[color.Color]int{}
	at := from.Bounds()
	for y := at.Min.Y; y < at.Max.Y; y++ {
		for x := at.Min.X; x < at.Max.X; x++ {
			times[from.At(x, y)]++
		}
	}
	if len(times) < leastColours {
		t.Errorf("the page has %d colours, want at least %d of one that is painted", len(times), leastColours)
	}
	most := slices.SortedFunc(maps.Keys(times), func(a, b color.Color) int { return times[b] - times[a] })
	to := image.NewPaletted(at, most[:min(len(most), mostColours)])
	index := map[color.Color]uint8{}
	for c := range times {
		index[c] = uint8(to.Palette.Index(c)) //nolint:gosec // below mostColours
	}
	for y := at.Min.Y; y < at.Max.Y; y++ {
		for x := at.Min.X; x < at.Max.X; x++ {
			to.SetColorIndex(x, y, index[from.At(x, y)])
		}
	}
	var out bytes.Buffer
	if err := (&png.Encoder{CompressionLevel: png.BestCompression}).Encode(&out, to); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}
