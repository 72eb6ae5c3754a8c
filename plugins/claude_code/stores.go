package main

import "github.com/pdpp-host/pdpp-host/sdk/files"

// store is one part of the home folder, and how it is collected.
type store struct {
	name    string
	entries []string // of the home folder
	stream  string   // of its content, "" for none
	status  string   // when it exists
	reason  string
}

// The reasons of the inventories.
const (
	reasonHistory = "copies of edited files are listed without their content"
	reasonCache   = "caches may hold sensitive tool output: listed without their content"
	reasonBackups = "backups may hold anything that was configured: listed without their content"
	reasonConfig  = "settings may hold secrets: listed without their content"
	reasonAuth    = "credentials are never opened"
	reasonLater   = "no stream holds it yet"
	reasonRuntime = "state of running programs, of no use elsewhere"
)

// stores is every store that is known, in the order of the records.
var stores = []store{
	{"sessions", []string{"projects"}, "sessions", files.StatusCollected, "summed up from the transcripts"},
	{"messages", []string{"projects"}, "messages", files.StatusCollected, "user and assistant lines of transcripts, subagents included"},
	{"attachments", []string{"projects"}, "attachments", files.StatusCollected, "hook results, snapshots, modes and last prompts: a preview of each"},
	{"tool_results", []string{"projects"}, "attachments", files.StatusCollected, "files of long tool results: a preview of each"},
	{"memory_notes", []string{"projects"}, "memory_notes", files.StatusCollected, "notes of the projects' memory folders"},
	{"skills", []string{"skills"}, "skills", files.StatusCollected, "SKILL.md of each skill"},
	{"slash_commands", []string{"commands"}, "slash_commands", files.StatusCollected, "Markdown files of commands"},
	{"file_history", []string{"file-history"}, "file_history", files.StatusInventory, reasonHistory},
	{"cache", []string{"cache"}, "cache_inventory", files.StatusInventory, reasonCache},
	{"backups", []string{"backups"}, "backup_inventory", files.StatusInventory, reasonBackups},
	{"config", configFiles, "config_inventory", files.StatusInventory, reasonConfig},
	{"auth", []string{".credentials.json", "auth.json"}, "", files.StatusExcluded, reasonAuth},
	{"prompt_history", []string{"history.jsonl"}, "", files.StatusDeferred, reasonLater},
	{"agents", []string{"agents"}, "", files.StatusDeferred, reasonLater},
	{"plugins", []string{"plugins"}, "", files.StatusDeferred, reasonLater},
	{"plans", []string{"plans"}, "", files.StatusDeferred, reasonLater},
	{"todos", []string{"todos", "tasks", "teams"}, "", files.StatusDeferred, reasonLater},
	{"output_styles", []string{"output-styles"}, "", files.StatusDeferred, reasonLater},
	{"hooks", []string{"hooks", "rules"}, "", files.StatusDeferred, reasonLater},
	{"pastes", []string{"paste-cache", "image-cache", "uploads", "downloads"}, "", files.StatusDeferred, reasonLater},
	{"statistics", []string{"stats-cache.json", "usage-data"}, "", files.StatusDeferred, reasonLater},
	{"shell_snapshots", []string{"shell-snapshots", "session-env"}, "", files.StatusExcluded, "shell environments may hold secrets"},
	{"telemetry", []string{"statsig", "telemetry", "debug", "logs"}, "", files.StatusExcluded, reasonRuntime},
	{"runtime", []string{"ide", "local", "sessions", "chrome", "todos.lock", ".update.lock", ".last-cleanup", "mcp-needs-auth-cache.json", "worktrees"}, "", files.StatusExcluded, reasonRuntime},
	{"system_files", []string{".DS_Store", "Thumbs.db", "desktop.ini", ".git", ".gitignore"}, "", files.StatusExcluded, "not of Claude Code"},
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
