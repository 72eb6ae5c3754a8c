package profile

import "path/filepath"

// LanePath returns the file of a profile's lane: the one that is given, in a flag
// or as the profile's queue, as it is; else one below the owner's folder for state,
// wherever the command is started (collector contract, section 7.4).
func LanePath(e Env, p *Profile, given string) (string, error) {
	for _, path := range []string{given, e.get(EnvQueue), p.Queue} {
		if path == "" {
			continue
		}
		full, err := filepath.Abs(path)
		if err != nil {
			return "", unusable("the outbox cannot be found", path, err)
		}
		return full, nil
	}
	dir := stateDir(e)
	if dir == "" {
		return "", unusable("there is no home folder to keep an outbox in", EnvQueue, nil)
	}
	name := "collector-runner-queue." + fileWord(p.SourceInstanceID)
	if p.ConnectorID != "" {
		name = fileWord(p.ConnectorID) + "-" + fileWord(p.SourceInstanceID)
	}
	return filepath.Join(dir, name+".sqlite"), nil
}

// OwnFolders returns where collectors of this machine keep their credentials and what
// they have not delivered yet: folders, and outboxes that lie elsewhere. No connector is
// granted them.
func OwnFolders(e Env) (own []string) {
	if dir := stateDir(e); dir != "" {
		own = append(own, dir)
	}
	dir, err := FolderOf(e)
	if err != nil {
		return own
	}
	profiles, _ := dir.List() // those that can be read
	for _, p := range profiles {
		if path, err := LanePath(e, p, ""); err == nil {
			own = append(own, path)
		}
	}
	return append(own, dir.Dir)
}

func stateDir(e Env) string {
	var base string
	switch e.os() {
	case "darwin":
		base = e.base("XDG_STATE_HOME", "Library", "Application Support")
	case "windows":
		base = e.base("LOCALAPPDATA", "AppData", "Local")
	default:
		base = e.base("XDG_STATE_HOME", ".local", "state")
	}
	if base == "" {
		return ""
	}
	return filepath.Join(base, "pdpp", "collectors")
}
