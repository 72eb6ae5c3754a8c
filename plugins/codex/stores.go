package main

// Statuses of a store.
const (
	statusCollected   = "collected"
	statusInventory   = "inventory_only"
	statusDiagnostics = "diagnostics_only"
	statusExcluded    = "excluded"
	statusIncomplete  = "incomplete"
	statusMissing     = "missing"
	statusUnaccounted = "unaccounted"
)

// store is one thing that Codex keeps in its home folder.
type store struct {
	name   string
	stream string // of its content, "" for none
	status string
	reason string
	paths  []string // names in the home folder
	inside bool     // an inventory lists the files inside, not only the folder
}

// Reasons, for the owner.
const (
	reasonHistory  = "metadata-only until a prompt-history payload contract is approved"
	reasonIndex    = "metadata-only until a session-index payload contract is approved"
	reasonShell    = "shell content requires redaction review before payload collection"
	reasonConfig   = "configuration is inventoried without payload content"
	reasonCache    = "raw cache payloads may contain sensitive tool output"
	reasonAuth     = "credentials: never opened"
	reasonInternal = "the program's own bookkeeping"
)

// stores is every known store, in the order of the coverage rows.
var stores = []store{
	{"rollouts", streamSessions, statusCollected, "sessions, messages and function calls are collected", []string{"sessions"}, false},
	{"archived_rollouts", streamSessions, statusCollected, "collected like the rollouts", []string{"archived_sessions"}, false},
	{"threads", streamSessions, statusCollected, "titles, token counts and policies are joined to sessions", []string{stateDB}, false},
	{"rules", streamRules, statusCollected, "one record a rule", []string{"rules", "AGENTS.md", "AGENTS.override.md"}, false},
	{"prompts", streamPrompts, statusCollected, "one record a prompt", []string{"prompts"}, false},
	{"skills", streamSkills, statusCollected, "one record a skill, its SKILL.md; other files of a skill are not collected", []string{"skills"}, false},
	{"history", streamHistory, statusInventory, reasonHistory, []string{"history.jsonl"}, false},
	{"session_index", streamIndex, statusInventory, reasonIndex, []string{"session_index.jsonl"}, false},
	{"shell_snapshots", streamSnapshots, statusInventory, reasonShell, []string{"shell-snapshots", "shell_snapshots"}, true},
	{"config", streamConfig, statusInventory, reasonConfig, []string{"config.toml", "managed_config.toml", "requirements.toml", "hooks.json"}, false},
	{"cache", streamCache, statusInventory, reasonCache, []string{"cache", "models_cache.json", ".tmp", "tmp", "vendor_imports"}, false},
	{"memories", "", statusDiagnostics, "memories are noted, not collected, until their format is settled", []string{"memories"}, false},
	{"context_mode", "", statusDiagnostics, "context-mode data is noted, not collected", []string{"context-mode"}, false},
	{"auth", "", statusExcluded, reasonAuth, []string{"auth.json", ".credentials.json"}, false},
	{"logs", "", statusExcluded, "program logs may repeat anything, credentials included", []string{"log", "logs", "logs_1.sqlite", "logs_2.sqlite"}, false},
	{"internal", "", statusExcluded, reasonInternal, []string{
		"version.json", "internal_storage.json", ".personality_migration", "installation_id", "sqlite", "worktrees", "plugins", "themes",
		"ambient-suggestions", "automations", "process_manager", "packages", "pets", "state.sqlite", "bin", "sandbox", ".sandbox", ".sandbox-bin",
	}, false},
}
