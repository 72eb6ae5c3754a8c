package main

import "github.com/pdpp-host/pdpp-host/sdk/files"

// store is one part of the home folder, and how it is collected.
type store struct {
	name    string
	entries []string // of the home folder
	stream  string   // of its content, "" for none
	status  string   // when it exists
	reason  string
	shared  bool // the public connector has a row of it: the words are the same, also of one that is missing
}

// The reasons of stores that are not collected.
const (
	reasonLater   = "no stream holds it yet"
	reasonRuntime = "state of running programs, of no use elsewhere"
)

// stores is every store that is known, in the order of the records.
var stores = []store{
	{"projects", []string{"projects"}, "sessions", files.StatusCollected, "declared transcript source", true},
	{"derived_messages", []string{"projects"}, "messages", files.StatusCollected, "user and assistant lines of transcripts, subagents included", false},
	{"derived_attachments", []string{"projects"}, "attachments", files.StatusCollected, "hook results, snapshots, modes and last prompts: a preview of each", false},
	{"tool_results", []string{"projects"}, "attachments", files.StatusCollected, "files of long tool results: a preview of each", false},
	{"derived_memory_notes", []string{"projects"}, "memory_notes", files.StatusCollected, "notes of the projects' memory folders", false},
	{"skills", []string{"skills"}, "skills", files.StatusCollected, "declared user-authored skills source", true},
	{"commands", []string{"commands"}, "slash_commands", files.StatusCollected, "declared user-authored slash commands source", true},
	{"file_history", []string{"file-history"}, "file_history", files.StatusInventory, "metadata-only until payload contract is approved", true},
	{"context_mode", []string{"context-mode"}, "", files.StatusInventory, "user-specific local convention; diagnostics only, not a general Claude Code stream", true},
	{"cache", []string{"cache"}, "cache_inventory", files.StatusInventory, "raw cache payloads may contain sensitive tool output", true},
	{"backups", []string{"backups"}, "backup_inventory", files.StatusInventory, "backup payloads require owner review before collection", true},
	{"config", configFiles, "config_inventory", files.StatusInventory, "configuration is inventoried without payload content", true},
	{"auth", []string{".credentials.json", "auth.json"}, "", files.StatusExcluded, "auth-adjacent credential material is never emitted", true},
	{"prompt_history", []string{"history.jsonl"}, "", files.StatusDeferred, reasonLater, false},
	{"agents", []string{"agents"}, "", files.StatusDeferred, reasonLater, false},
	{"plugins", []string{"plugins"}, "", files.StatusDeferred, reasonLater, false},
	{"plans", []string{"plans"}, "", files.StatusDeferred, reasonLater, false},
	{"todos", []string{"todos", "tasks", "teams"}, "", files.StatusDeferred, reasonLater, false},
	{"output_styles", []string{"output-styles"}, "", files.StatusDeferred, reasonLater, false},
	{"hooks", []string{"hooks", "rules"}, "", files.StatusDeferred, reasonLater, false},
	{"pastes", []string{"paste-cache", "image-cache", "uploads", "downloads"}, "", files.StatusDeferred, reasonLater, false},
	{"statistics", []string{"stats-cache.json", "usage-data"}, "", files.StatusDeferred, reasonLater, false},
	{"shell_snapshots", []string{"shell-snapshots", "session-env"}, "", files.StatusExcluded, "shell environments may hold secrets", false},
	{"telemetry", []string{"statsig", "telemetry", "debug", "logs"}, "", files.StatusExcluded, reasonRuntime, false},
	{"runtime", []string{"ide", "local", "sessions", "chrome", "todos.lock", ".update.lock", ".last-cleanup", "mcp-needs-auth-cache.json", "worktrees"}, "", files.StatusExcluded, reasonRuntime, false},
	{"system_files", []string{".DS_Store", "Thumbs.db", "desktop.ini", ".git", ".gitignore"}, "", files.StatusExcluded, "not of Claude Code", false},
}

// configFiles are the settings files of the home folder.
var configFiles = []string{
	"settings.json", "settings.local.json", "CLAUDE.md", "keybindings.json", "remote-settings.json", "policy-limits.json",
	"statusline.sh", "statusline-command.sh", "config.json", ".claude.json", ".mcp.json",
}

// isKnown reports whether an entry of the home folder belongs to a store.
func isKnown(name string) bool {
	for i := range stores {
		for _, entry := range stores[i].entries {
			if entry == name {
				return true
			}
		}
	}
	return false
}
