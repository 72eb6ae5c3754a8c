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
	shared bool     // the public connector has a row of it: the words are the same, also of one that is missing
}

// stores is every known store, in the order of the coverage rows.
var stores = []store{
	{"sessions", streamSessions, files.StatusCollected, "declared rollout source", []string{"sessions"}, false, true},
	{"archived_rollouts", streamSessions, files.StatusCollected, "collected like the rollouts", []string{"archived_sessions"}, false, false},
	{"derived_messages", streamMessages, files.StatusCollected, "messages of the rollouts", []string{"sessions", "archived_sessions"}, false, false},
	{"derived_function_calls", streamCalls, files.StatusCollected, "function calls of the rollouts, and their outputs", []string{"sessions", "archived_sessions"}, false, false},
	{"state_db", streamSessions, files.StatusCollected, "declared thread metadata source opened read-only", []string{stateDB}, false, true},
	{"rules", streamRules, files.StatusCollected, "declared user-authored rules source", []string{"rules", "AGENTS.md", "AGENTS.override.md"}, false, true},
	{"prompts", streamPrompts, files.StatusCollected, "declared user-authored prompts source", []string{"prompts"}, false, true},
	{"skills", streamSkills, files.StatusCollected, "declared user-authored skills source", []string{"skills"}, false, true},
	{"history", streamHistory, files.StatusInventory, "metadata-only until prompt-history payload contract is approved", []string{"history.jsonl"}, false, true},
	{"session_index", streamIndex, files.StatusInventory, "metadata-only until session-index payload contract is approved", []string{"session_index.jsonl"}, false, true},
	{"shell_snapshots", streamSnapshots, files.StatusInventory, "shell content requires redaction review before payload collection", []string{"shell-snapshots", "shell_snapshots"}, true, true},
	{"config", streamConfig, files.StatusInventory, "configuration is inventoried without payload content", []string{"config.toml", "managed_config.toml", "requirements.toml", "hooks.json"}, false, true},
	{"cache", streamCache, files.StatusInventory, "raw cache payloads may contain sensitive tool output", []string{"cache", "models_cache.json", ".tmp", "tmp", "vendor_imports"}, false, true},
	{"memories", "", files.StatusInventory, "deferred private local store; diagnostics only until a general Codex memory surface is approved", []string{"memories"}, false, true},
	{"context_mode", "", files.StatusInventory, "user-specific local convention; diagnostics only, not a general Codex stream", []string{"context-mode"}, false, true},
	{"auth", "", files.StatusExcluded, "auth-adjacent credential material is never emitted", []string{"auth.json", ".credentials.json"}, false, true},
	{"logs", "", files.StatusExcluded, "program logs may repeat anything, credentials included", []string{"log", "logs", "logs_1.sqlite", "logs_2.sqlite"}, false, false},
	{"internal", "", files.StatusExcluded, "the program's own bookkeeping, but for a list of threads in it", []string{
		"version.json", "internal_storage.json", ".personality_migration", "installation_id", "sqlite", "worktrees", "plugins", "themes",
		"ambient-suggestions", "automations", "process_manager", "packages", "pets", "state.sqlite", "bin", "sandbox", ".sandbox", ".sandbox-bin",
	}, false, false},
}
