package run

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/abi/manifest"
	"github.com/pdpp-host/pdpp-host/host/plugin"
	"github.com/pdpp-host/pdpp-host/storage"
)

// accounts follow what the guest says became of files, entries and items (AC-02, AC-04,
// AC-05). The engine's books say by themselves which files it read.
type accounts struct {
	*journal

	manifest *abi.Manifest
	whole    bool // the run collects every stream

	foldersOnly bool // the run has nothing to collect from but its folders

	ignores  []abi.Ignore // of the manifest
	owners   []manifest.Word
	archives map[plugin.GrantedFile]*abi.EntryAccount // of which entries are unknown
	named    int                                      // bytes of the names in archives
	unnamed  int64                                    // unknown entries of archives beyond the bounds
	streams  map[string]*abi.StreamAccount
}

// newAccounts opens the accounts of a plan's run.
func newAccounts(j *journal, p *plan) *accounts {
	a := &accounts{
		journal: j, manifest: p.manifest, ignores: p.granted.grant.Accounting.Ignores, owners: p.granted.grant.Accounting.Owners,
		archives: map[plugin.GrantedFile]*abi.EntryAccount{}, streams: map[string]*abi.StreamAccount{},
	}
	granted := p.granted.grant.Bindings
	a.foldersOnly = !granted[abi.BindingNetwork] && !granted[abi.BindingBrowser]
	a.whole = p.mode != abi.ModeBackfill && len(p.request.Streams) == 0
	return a
}

// accounting reads what a run knows of its folders before it begins: which files are not for
// the connector, and what nothing explained in the last run that looked at all of them.
func (r *Runner) accounting(ctx context.Context, p *plan) (plugin.Accounting, error) {
	var a plugin.Accounting
	if local := p.manifest.Requirements.LocalPaths; local != nil {
		a.Ignores = slices.Clone(local.Ignores)
	}
	if len(p.granted.grant.Roots) == 0 {
		return a, nil
	}
	b, owners, err := r.deps.Store.Books(ctx, p.connection.ID)
	if err != nil {
		return a, err
	}
	a.Owners = owners
	asOf(&a, &b, p.mode)
	return a, nil
}

// asOf has the next run take for read what the books of the last one do. Books that do not name
// each file which nothing explained say of no file that it was read.
func asOf(a *plugin.Accounting, b *storage.Books, mode string) {
	if mode != abi.ModeFullRefresh && b.Beyond == 0 && !b.Vague {
		a.Since, a.Ruled = b.BegunMS, b.Ruled
	}
	for _, u := range b.Unread {
		a.Earlier = append(a.Earlier, plugin.GrantedFile{Root: u.Root, Path: u.Path})
	}
}

const (
	// maxArchives bounds the archives of a run whose unknown entries are kept by name.
	maxArchives = 1000
	// maxNameBytes bounds the names of unread files together, and those of entries.
	maxNameBytes = 512 << 10
)

// take adds one ACCOUNT.
func (a *accounts) take(m *abi.Account) error {
	for i := range m.Files {
		a.file(&m.Files[i])
	}
	for i := range m.Streams {
		if err := a.stream(&m.Streams[i]); err != nil {
			return err
		}
	}
	return nil
}

func (a *accounts) file(f *abi.FileAccount) {
	at := plugin.GrantedFile{Root: f.Root, Path: f.Path}
	if old := a.archives[at]; old != nil { // a later word replaces an earlier one
		a.named -= sizeOf(at, old)
		delete(a.archives, at)
	}
	if f.Entries == nil || f.Entries.Unknown == 0 {
		return
	}
	size := sizeOf(at, f.Entries)
	if a.named+size > maxNameBytes {
		f.Entries.Names = nil
		size = sizeOf(at, f.Entries)
	}
	if len(a.archives) >= maxArchives || a.named+size > maxNameBytes {
		a.unnamed += f.Entries.Unknown
		return
	}
	a.named += size
	a.archives[at] = f.Entries
}

// sizeOf counts the bytes of an archive's names.
func sizeOf(at plugin.GrantedFile, e *abi.EntryAccount) int {
	n := len(at.Root) + len(at.Path)
	for _, name := range e.Names {
		n += len(name)
	}
	return n
}

func (a *accounts) stream(s *abi.StreamAccount) error {
	sum := a.streams[s.Stream]
	if sum == nil {
		sum = &abi.StreamAccount{Stream: s.Stream}
		a.streams[s.Stream] = sum
	}
	for _, n := range []struct{ to, more *int64 }{
		{&sum.Met, &s.Met}, {&sum.Emitted, &s.Emitted}, {&sum.Unchanged, &s.Unchanged}, {&sum.Merged, &s.Merged}, {&sum.Duplicate, &s.Duplicate},
		{&sum.KeptBack, &s.KeptBack}, {&sum.NotRecord, &s.NotRecord}, {&sum.Outside, &s.Outside}, {&sum.Cut, &s.Cut},
	} {
		if *n.to += *n.more; *n.to < 0 {
			return abi.NewError(abi.CodeEnvelope, "the accounts of stream "+s.Stream+" count more items than there can be",
				"count each item of the source once")
		}
	}
	for _, u := range s.Unknown {
		sum.Unknown = addName(sum.Unknown, u)
	}
	return nil
}

// otherNames counts unknown names beyond those that are kept.
const otherNames = "(others)"

func addName(names []abi.UnknownName, u abi.UnknownName) []abi.UnknownName {
	u.Name = clip(u.Name, maxGapText)
	at := func(name string) int {
		return slices.IndexFunc(names, func(n abi.UnknownName) bool { return n.Name == name })
	}
	i := at(u.Name)
	if i < 0 && len(names) >= abi.MaxAccountNames-1 {
		u.Name = otherNames
		i = at(otherNames)
	}
	if i < 0 {
		return append(names, u)
	}
	names[i].Count = max(names[i].Count+u.Count, names[i].Count)
	return names
}

// all returns the accounts of streams, in the order of names.
func (a *accounts) all(names []string) (list []abi.StreamAccount) {
	for _, name := range names {
		if s := a.streams[name]; s != nil {
			list = append(list, *s)
		}
	}
	return list
}

// settle adds to the outcome what became of the files of the run's folders, and the known
// gap for those that nothing explains. Only a run that looked at all of them says anything of
// that; any other one says of some that they are amiss.
//
// rejected is how many records came and failed their schema.
func (a *accounts) settle(o *storage.Outcome, kept *plugin.Books, rejected int64) {
	a.merged()
	if kept == nil {
		return
	}
	amiss := storage.Amiss{Settled: kept.Settled, Open: kept.Open}
	for _, f := range kept.Amiss {
		amiss.Files = append(amiss.Files, storage.AmissFile{Root: f.Root, Path: f.Path, As: f.As, Reason: f.Reason, Size: f.Size, ChangedMS: f.ChangedMS})
	}
	if !a.whole || o.Status != StatusSucceeded || o.Narrowed {
		o.Amiss = amiss
		return
	}
	b := &storage.Books{BegunMS: kept.Begun, Nothing: a.foldersOnly && rejected == 0, Vague: kept.Vague, Amiss: amiss, Words: a.owners, Over: kept.Over}
	for i := range a.owners {
		if !slices.ContainsFunc(kept.Over, func(w manifest.Word) bool { return w.Pattern == a.owners[i].Pattern && w.Root == a.owners[i].Root }) {
			b.Ruled = append(b.Ruled, a.owners[i].Pattern)
		}
	}
	for _, i := range a.ignores {
		b.Ruled = append(b.Ruled, i.Pattern)
	}
	var unexplained int64
	for i := range kept.Roots {
		unexplained += kept.Roots[i].Unexplained
		b.Nothing = b.Nothing && kept.Roots[i].Read == 0
	}
	for _, u := range kept.Unread {
		b.Unread = append(b.Unread, storage.UnreadFile{Root: u.Root, Path: u.Path, Kind: u.Kind, Size: u.Size, ChangedMS: u.ChangedMS})
	}
	unexplained += a.entries(b, kept.Holders)
	b.Beyond = max(0, unexplained-int64(len(b.Unread)))
	if kept.Bounded { // what was not looked at is not explained
		b.Beyond++
	}
	o.Books = b
	if g := Unexplained(b); g != nil {
		a.known.add(*g)
	}
}

// entries adds the unknown entries of archives to the unread files, and counts them. holders are the archives as
// they are.
func (a *accounts) entries(b *storage.Books, holders []manifest.FileState) int64 {
	states := make(map[plugin.GrantedFile]manifest.FileState, len(holders))
	for _, h := range holders {
		states[plugin.GrantedFile{Root: h.Root, Path: h.Path}] = h
	}
	files := make([]plugin.GrantedFile, 0, len(a.archives))
	for at := range a.archives {
		files = append(files, at)
	}
	n, left := a.unnamed, maxNameBytes
	for i := range b.Unread {
		left -= len(b.Unread[i].Path)
	}
	slices.SortFunc(files, func(x, y plugin.GrantedFile) int { return strings.Compare(x.Root+"/"+x.Path, y.Root+"/"+y.Path) })
	for _, at := range files {
		e, state := a.archives[at], states[at]
		state.Root, state.Path = at.Root, at.Path
		if manifest.Allowed(a.owners, state, at.Path, "") {
			continue
		}
		first := len(b.Unread)
		n += e.Unknown
		more := e.Unknown - int64(len(e.Names))
		for _, name := range e.Names {
			path := entryPath(at.Path, name)
			if manifest.Allowed(a.owners, state, path, "") {
				n--
				continue
			}
			if left -= len(path); len(b.Unread) < plugin.MaxUnread && left >= 0 {
				b.Unread = append(b.Unread, storage.UnreadFile{Root: at.Root, Path: path, Archive: at.Path, Size: state.Size, ChangedMS: state.ChangedMS})
			} else {
				more++
			}
		}
		if first < len(b.Unread) {
			b.Unread[first].More = max(0, more)
		}
	}
	return n
}

// entryPath is where the books have an entry of an archive, whose name may be cut.
func entryPath(archive, name string) string {
	short := clip(name, maxGapText)
	if short != name { // two of them stay two
		sum := sha256.Sum256([]byte(name))
		short += " " + hex.EncodeToString(sum[:4])
	}
	return archive + "/" + short
}

// keptBack adds a known gap for each stream of which items were kept back and nothing says why:
// a count is no word on them (AC-04). details counts the detail gaps of each stream.
func (a *accounts) keptBack(names []string, details map[string]int64) {
	for _, name := range names {
		s := a.streams[name]
		if s == nil || s.KeptBack == 0 || details[name] > 0 || a.known.explains(name) {
			continue
		}
		a.known.add(KnownGap{
			Kind: kindKeptBack, Reason: "items_kept_back", Severity: "actionable", RecoveryHint: "retry_on_connector_upgrade", Stream: name, Count: s.KeptBack,
			Message: fmt.Sprintf("%d items were kept back, and the connector does not say why", s.KeptBack),
		})
	}
}

// merged adds a known gap for each stream in which several items of the source became one
// record, unless its manifest says why they may (AC-04).
func (a *accounts) merged() {
	for name, s := range a.streams {
		if m := a.manifest.Stream(name); s.Merged > 0 && m != nil && m.Merges == nil {
			a.known.add(KnownGap{
				Kind: "merged_items", Reason: "items_merged", Severity: "actionable", RecoveryHint: "retry_on_connector_upgrade", Stream: name, Count: s.Merged,
				Message: fmt.Sprintf("%d items have the key of another one, and replaced it", s.Merged),
			})
		}
	}
}

// differ adds a known gap for each stream of which the connector says that it emitted another
// number of its items than there came records: what else its account says is then no better.
func (a *accounts) differ(in *intake) {
	for i, came := range in.came {
		s := a.streams[in.scope.Streams[i].Name]
		if s == nil || s.Emitted == came {
			continue
		}
		a.known.add(KnownGap{
			Kind: "accounts_differ", Reason: "items_do_not_add_up", Severity: "actionable", RecoveryHint: "retry_on_connector_upgrade", Stream: s.Stream,
			Message: fmt.Sprintf("the connector says that it emitted %d of its items, and %d records came", s.Emitted, came),
		})
	}
}

// compareFields adds a known gap for each stream of which fields that carried data in the runs
// before are null in this one's records, and has the outcome keep the fields that carry data
// (AC-05). A store that cannot be read says nothing.
func (r *run) compareFields(ctx context.Context, o *storage.Outcome) {
	before, err := r.deps.Store.Fields(ctx, r.plan.connection.ID)
	if err != nil {
		r.deps.Logger.Warn("the fields of earlier runs cannot be read", "error", err)
		return
	}
	known := len(before)
	for i := range r.plan.scope.Streams {
		st := r.plan.manifest.Stream(r.plan.scope.Streams[i].Name)
		if st == nil {
			continue
		}
		now := r.intake.fields.Compare(i, before[st.Name], declares(st))
		if len(now.Carried) > 0 {
			before[st.Name] = now
		} else {
			delete(before, st.Name)
		}
		if len(now.Gone) > 0 {
			r.known.add(disappeared(st.Name, now.Gone))
		}
	}
	if known+len(before) > 0 {
		o.Fields = before
	}
}

// declares returns whether a stream's schema declares a field. One that lists no properties
// declares every field.
func declares(st *abi.Stream) func(field string) bool {
	var schema struct {
		Properties map[string]json.RawMessage `json:"properties"`
	}
	if json.Unmarshal(st.Schema, &schema) != nil || schema.Properties == nil {
		return func(string) bool { return true }
	}
	return func(field string) bool { _, ok := schema.Properties[field]; return ok }
}

// disappeared is the known gap for fields that carry no data any more.
func disappeared(stream string, gone []string) KnownGap {
	g := KnownGap{
		Kind: "field_disappeared", Reason: "field_disappeared", Severity: "actionable", RecoveryHint: "retry_on_connector_upgrade",
		Stream: stream, Count: int64(len(gone)),
		Message: "fields that carried data before are null now, as when a service renames them: " + strings.Join(gone, ", "),
	}
	if data, err := json.Marshal(map[string]any{"count": len(gone), "examples": gone[:min(len(gone), maxNamedKeys)]}); err == nil {
		g.Diagnostics = data
	}
	return g
}
