package op

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"unicode"

	"github.com/go-rod/rod/lib/proto"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/host/browser/wire"
)

const (
	downloads = 256 // events of them that wait to be looked at
	mostName  = 128 // bytes of a suggested name
)

// files are the downloads of a run (BR-17).
type files struct {
	line    *wire.Line
	folder  string // "": there are none
	stop    chan struct{}
	working sync.WaitGroup

	lock    sync.Mutex
	armed   bool
	begun   int
	total   int64
	all     map[string]*file // by the browser's id, which is the file's name in the folder
	order   []string         // done, and not told of
	changed chan struct{}    // closed and made anew with each change
}

type file struct {
	name string
	size int64
	err  error
	done bool
}

func newFiles(ctx context.Context, line *wire.Line, folder string) (*files, error) {
	f := &files{line: line, folder: folder, stop: make(chan struct{}), all: map[string]*file{}, changed: make(chan struct{})}
	begin, progress := line.Queue(proto.BrowserDownloadWillBegin{}.ProtoEvent(), downloads), line.Queue(proto.BrowserDownloadProgress{}.ProtoEvent(), queued)
	f.working.Go(func() {
		for {
			select {
			case e := <-begin:
				f.begins(e)
			case e := <-progress:
				f.goesOn(e)
			case <-line.Ended():
				return
			case <-f.stop:
				return
			}
		}
	})
	if folder != "" {
		if err := os.MkdirAll(folder, 0o700); err != nil {
			return f, err
		}
	}
	return f, f.allow(ctx, false)
}

// queued are events of progress that wait: a large download tells of it often.
const queued = 4096

func (f *files) close() {
	close(f.stop)
	f.working.Wait()
}

// allow lets the browser download, or no longer.
func (f *files) allow(ctx context.Context, on bool) error {
	b := proto.BrowserSetDownloadBehavior{Behavior: proto.BrowserSetDownloadBehaviorBehaviorDeny, EventsEnabled: true}
	if on {
		b.Behavior, b.DownloadPath = proto.BrowserSetDownloadBehaviorBehaviorAllowAndName, f.folder
	}
	return b.Call(f.line.On(ctx, ""))
}

// disarm lets no download begin that was armed for.
func (f *files) disarm(ctx context.Context) {
	f.lock.Lock()
	f.armed = false
	f.lock.Unlock()
	_ = f.allow(ctx, false) // the browser may be gone, which is seen elsewhere
}

// change wakes those who wait. The lock is held.
func (f *files) change() {
	close(f.changed)
	f.changed = make(chan struct{})
}

// begins takes notice of a download, of which one at a time is armed for.
func (f *files) begins(e wire.Event) {
	var b proto.BrowserDownloadWillBegin
	if json.Unmarshal(e.Params, &b) != nil || b.GUID == "" || filepath.Base(b.GUID) != b.GUID {
		return
	}
	f.lock.Lock()
	wanted := f.armed
	f.armed = false
	if wanted {
		f.begun++
		f.all[b.GUID] = &file{name: suggested(b.SuggestedFilename)}
	}
	f.lock.Unlock()
	if !wanted {
		_ = proto.BrowserCancelDownload{GUID: b.GUID}.Call(f.line.On(context.Background(), ""))
	}
}

// goesOn takes notice of how far a download has come, and ends one that is too large.
func (f *files) goesOn(e wire.Event) {
	var p proto.BrowserDownloadProgress
	if json.Unmarshal(e.Params, &p) != nil {
		return
	}
	f.lock.Lock()
	d := f.all[p.GUID]
	if d == nil || d.done {
		f.lock.Unlock()
		return
	}
	d.size = int64(max(p.ReceivedBytes, p.TotalBytes))
	over := d.size > abi.BrowserDownload || f.total+d.size > abi.BrowserDownloadAll
	switch {
	case over:
		d.err = abi.NewError(abi.CodeBrowserDownloadLarge, "the download is too large", "leave it out")
	case p.State == proto.BrowserDownloadProgressStateCompleted:
		f.total += d.size
	case p.State == proto.BrowserDownloadProgressStateCanceled:
		d.err = abi.NewError(abi.CodeBrowserDownload, "the download was cut off", "try it again")
	default:
		f.lock.Unlock()
		return
	}
	d.done = true
	f.lock.Unlock()
	if over {
		_ = proto.BrowserCancelDownload{GUID: p.GUID}.Call(f.line.On(context.Background(), ""))
		_ = os.Remove(filepath.Join(f.folder, p.GUID))
	}
	_ = f.allow(context.Background(), false) // not sooner: it would end this one; nor later: the next one
	f.lock.Lock()
	defer f.lock.Unlock()
	f.order = append(f.order, p.GUID)
	f.change()
}

// suggested returns the name that a site suggests, as text that is no path.
func suggested(name string) string {
	name = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || r == '/' || r == '\\' || r == unicode.ReplacementChar {
			return -1
		}
		return r
	}, name)
	for len(name) > mostName {
		r := []rune(name)
		name = string(r[:len(r)-1])
	}
	return name
}

func (o *Ops) arm(ctx context.Context, _ *abi.BrowserRequest) (*abi.BrowserAnswer, []byte, error) {
	f := o.files
	f.lock.Lock()
	full := f.begun >= abi.BrowserDownloads
	f.armed = f.folder != "" && !full
	f.lock.Unlock()
	switch {
	case f.folder == "":
		return nil, nil, abi.NewError(abi.CodeBrowserDownload, "the manifest declares no downloads", "declare runtime_requirements.browser.downloads")
	case full:
		return nil, nil, abi.NewError(abi.CodeBrowserDownload, "the run has downloaded enough", "leave the rest to the next one")
	}
	return &abi.BrowserAnswer{}, nil, f.allow(ctx, true)
}

// next waits for the next download to be whole.
func (o *Ops) next(ctx context.Context, _ *abi.BrowserRequest) (*abi.BrowserAnswer, []byte, error) {
	f := o.files
	for {
		f.lock.Lock()
		changed, id := f.changed, ""
		if len(f.order) > 0 {
			id, f.order = f.order[0], f.order[1:]
		}
		var d *file
		if id != "" {
			d = f.all[id]
		}
		f.lock.Unlock()
		if d != nil {
			if d.err != nil {
				return nil, nil, d.err
			}
			return f.told(id, d)
		}
		select {
		case <-changed:
		case <-ctx.Done():
			f.lock.Lock()
			f.armed = false
			f.lock.Unlock()
			_ = f.allow(context.WithoutCancel(ctx), false)
			return nil, nil, context.Cause(ctx)
		}
	}
}

// told is what a guest learns of a download.
func (f *files) told(id string, d *file) (*abi.BrowserAnswer, []byte, error) {
	in, err := os.Open(filepath.Join(f.folder, id))
	if err != nil {
		return nil, nil, err
	}
	defer in.Close() //nolint:errcheck // it was read
	sum := sha256.New()
	n, err := io.Copy(sum, io.LimitReader(in, abi.BrowserDownload+1))
	if err != nil {
		return nil, nil, err
	}
	f.lock.Lock()
	d.size = n
	f.lock.Unlock()
	return &abi.BrowserAnswer{ID: id, Name: d.name, Bytes: &n, SHA256: hex.EncodeToString(sum.Sum(nil))}, nil, nil
}

// read returns a part of a download.
func (o *Ops) read(_ context.Context, r *abi.BrowserRequest) (*abi.BrowserAnswer, []byte, error) {
	f := o.files
	f.lock.Lock()
	d := f.all[r.ID]
	ok := d != nil && d.done && d.err == nil
	f.lock.Unlock()
	if !ok {
		return nil, nil, abi.NewError(abi.CodeBrowserDownload, "there is no such download", "take it from download.next")
	}
	in, err := os.Open(filepath.Join(f.folder, r.ID))
	if err != nil {
		return nil, nil, err
	}
	defer in.Close() //nolint:errcheck // it was read
	most := min(max(r.Length, 1), abi.BrowserResult)
	body, err := io.ReadAll(io.NewSectionReader(in, r.Offset, most))
	if err != nil {
		return nil, nil, fmt.Errorf("reading a download: %w", err)
	}
	size := int64(len(body))
	return &abi.BrowserAnswer{Bytes: &size}, body, nil
}
