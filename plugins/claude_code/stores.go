package main

// The statuses of coverage_diagnostics.
const (
	statusCollected   = "collected"
	statusInventory   = "inventory_only"
	statusExcluded    = "excluded"
	statusDeferred    = "deferred"
	statusMissing     = "missing"
	statusUnsupported = "unsupported"
	statusUnaccounted = "unaccounted"
)

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
	{"sessions", []string{"projects"}, "sessions", statusCollected, "summed up from the transcripts"},
	{"messages", []string{"projects"}, "messages", statusCollected, "user and assistant lines of transcripts, subagents included"},
	{"attachments", []string{"projects"}, "attachments", statusCollected, "hook results, snapshots, modes and last prompts: a preview of each"},
	{"tool_results", []string{"projects"}, "attachments", statusCollected, "files of long tool results: a preview of each"},
	{"memory_notes", []string{"projects"}, "memory_notes", statusCollected, "notes of the projects' memory folders"},
	{"skills", []string{"skills"}, "skills", statusCollected, "SKILL.md of each skill"},
	{"slash_commands", []string{"commands"}, "slash_commands", statusCollected, "Markdown files of commands"},
	{"file_history", []string{"file-history"}, "file_history", statusInventory, reasonHistory},
	{"cache", []string{"cache"}, "cache_inventory", statusInventory, reasonCache},
	{"backups", []string{"backups"}, "backup_inventory", statusInventory, reasonBackups},
	{"config", configFiles, "config_inventory", statusInventory, reasonConfig},
	{"auth", []string{".credentials.json", "auth.json"}, "", statusExcluded, reasonAuth},
	{"prompt_history", []string{"history.jsonl"}, "", statusDeferred, reasonLater},
	{"agents", []string{"agents"}, "", statusDeferred, reasonLater},
	{"plugins", []string{"plugins"}, "", statusDeferred, reasonLater},
	{"plans", []string{"plans"}, "", statusDeferred, reasonLater},
	{"todos", []string{"todos", "tasks", "teams"}, "", statusDeferred, reasonLater},
	{"output_styles", []string{"output-styles"}, "", statusDeferred, reasonLater},
	{"hooks", []string{"hooks", "rules"}, "", statusDeferred, reasonLater},
	{"pastes", []string{"paste-cache", "image-cache", "uploads", "downloads"}, "", statusDeferred, reasonLater},
	{"statistics", []string{"stats-cache.json", "usage-data"}, "", statusDeferred, reasonLater},
	{"shell_snapshots", []string{"shell-snapshots", "session-env"}, "", statusExcluded, "shell environments may hold secrets"},
	{"telemetry", []string{"statsig", "telemetry", "debug", "logs"}, "", statusExcluded, reasonRuntime},
	{"runtime", []string{"ide", "local", "sessions", "chrome", "todos.lock", ".update.lock", ".last-cleanup", "mcp-needs-auth-cache.json", "worktrees"}, "", statusExcluded, reasonRuntime},
	{"system_files", []string{".DS_Store", "Thumbs.db", "desktop.ini", ".git", ".gitignore"}, "", statusExcluded, "not of Claude Code"},
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
