package main

import "github.com/pdpp-host/pdpp-host/sdk/files"

// store is one thing that Codex keeps in its home folder.
type store struct {
	name   string
	stream string // of its content, "" for none
	status string
	reason string
	paths  []string // names in the home folder
	inside bool     // an inventory lists the files inside, not only the folder
}

// stores is every known store, in the order of the coverage rows.
var stores = []store{
	{"rollouts", streamSessions, files.StatusCollected, "sessions, messages and function calls are collected", []string{"sessions"}, false},
	{"archived_rollouts", streamSessions, files.StatusCollected, "collected like the rollouts", []string{"archived_sessions"}, false},
	{"threads", streamSessions, files.StatusCollected, "titles, token counts and policies are joined to sessions", []string{stateDB}, false},
	{"rules", streamRules, files.StatusCollected, "one record a rule", []string{"rules", "AGENTS.md", "AGENTS.override.md"}, false},
	{"prompts", streamPrompts, files.StatusCollected, "one record a prompt", []string{"prompts"}, false},
	{"skills", streamSkills, files.StatusCollected, "one record a skill, its SKILL.md; other files of a skill are not collected", []string{"skills"}, false},
	{"history", streamHistory, files.StatusInventory, "metadata-only until a prompt-history payload contract is approved", []string{"history.jsonl"}, false},
	{"session_index", streamIndex, files.StatusInventory, "metadata-only until a session-index payload contract is approved", []string{"session_index.jsonl"}, false},
	{"shell_snapshots", streamSnapshots, files.StatusInventory, "shell content requires redaction review before payload collection", []string{"shell-snapshots", "shell_snapshots"}, true},
	{"config", streamConfig, files.StatusInventory, "configuration is inventoried without payload content", []string{"config.toml", "managed_config.toml", "requirements.toml", "hooks.json"}, false},
	{"cache", streamCache, files.StatusInventory, "raw cache payloads may contain sensitive tool output", []string{"cache", "models_cache.json", ".tmp", "tmp", "vendor_imports"}, false},
	{"memories", "", files.StatusDiagnostics, "memories are noted, not collected, until their format is settled", []string{"memories"}, false},
	{"context_mode", "", files.StatusDiagnostics, "context-mode data is noted, not collected", []string{"context-mode"}, false},
	{"auth", "", files.StatusExcluded, "credentials: never opened", []string{"auth.json", ".credentials.json"}, false},
	{"logs", "", files.StatusExcluded, "program logs may repeat anything, credentials included", []string{"log", "logs", "logs_1.sqlite", "logs_2.sqlite"}, false},
	{"internal", "", files.StatusExcluded, "the program's own bookkeeping, but for a list of threads in it", []string{
		"version.json", "internal_storage.json", ".personality_migration", "installation_id", "sqlite", "worktrees", "plugins", "themes",
		"ambient-suggestions", "automations", "process_manager", "packages", "pets", "state.sqlite", "bin", "sandbox", ".sandbox", ".sandbox-bin",
	}, false},
}
