package files

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/pdpp-host/pdpp-host/abi"
)

// secretPlaces are the folders and files below the home folder in which other programs
// store keys, tokens, passwords and sessions, each group with the document that names
// it. A folder that is one of them, lies in one or contains one is granted only to a
// connector for which the owner accepted it by name.
var secretPlaces = slices.Concat(
	[]string{".ssh"},                            // ssh(1), FILES
	[]string{".gnupg"},                          // gpg(1), --homedir
	[]string{".aws"},                            // AWS CLI User Guide, "Configuration and credential file settings"
	[]string{".azure"},                          // Azure CLI, "Azure CLI configuration", AZURE_CONFIG_DIR
	[]string{".kube"},                           // Kubernetes, "Organizing Cluster Access Using kubeconfig Files"
	[]string{".docker"},                         // docker login, "Credential stores"
	[]string{".config/gcloud"},                  // gcloud topic configurations
	[]string{".config/gh"},                      // gh help environment, GH_CONFIG_DIR
	[]string{".netrc"},                          // curl(1), --netrc
	[]string{".git-credentials", ".config/git"}, // git-credential-store(1), FILES
	[]string{".password-store"},                 // pass(1), FILES
	[]string{".local/share/keyrings", ".gnome2/keyrings"},     // GNOME Keyring, "Keyring file locations"
	[]string{".local/share/kwalletd"},                         // KWallet Handbook
	[]string{"Library/Keychains"},                             // security(1), macOS
	[]string{".npmrc", ".pypirc"},                             // npmrc(5); PyPA, "The .pypirc file"
	[]string{".cargo/credentials.toml", ".cargo/credentials"}, // The Cargo Book, "Configuration", Credentials
	[]string{".config/rclone"},                                // rclone config file
	[]string{".config/op"},                                    // 1Password CLI, "Configuration directories"
	[]string{".vault-token"},                                  // Vault, "Token helpers"
	[]string{".pgpass"},                                       // PostgreSQL, "The Password File"
	[]string{"AppData/Roaming/Microsoft/Protect"},             // Microsoft, "Windows Data Protection", keys
	[]string{"AppData/Roaming/Microsoft/Credentials", "AppData/Local/Microsoft/Credentials"}, // Microsoft, "Credentials Processes in Windows Authentication"
	[]string{".librewolf", ".config/librewolf"},                                              // LibreWolf, FAQ
	[]string{".mozilla", ".config/mozilla", ".thunderbird", "snap/firefox", ".var/app/org.mozilla.firefox", // Mozilla Support, "Profiles: where Firefox stores your data"
		"Library/Application Support/Firefox", "AppData/Roaming/Mozilla"},
	chromium, // Chromium, docs/user_data_dir.md
	[]string{"Library/Safari", "Library/Containers/com.apple.Safari", "Library/Cookies"}, // Apple Platform Security, "Safari"
)

// chromium are the user data folders of browsers based on Chromium.
var chromium = []string{
	".config/google-chrome", ".config/google-chrome-beta", ".config/google-chrome-unstable", ".config/chromium",
	".config/BraveSoftware", ".config/microsoft-edge", ".config/vivaldi", ".config/opera",
	"snap/chromium", ".var/app/com.google.Chrome", ".var/app/org.chromium.Chromium", ".var/app/com.brave.Browser",
	"Library/Application Support/Google/Chrome", "Library/Application Support/Chromium", "Library/Application Support/BraveSoftware",
	"Library/Application Support/Microsoft Edge", "Library/Application Support/Vivaldi", "Library/Application Support/com.operasoftware.Opera",
	"AppData/Local/Google/Chrome", "AppData/Local/Chromium", "AppData/Local/BraveSoftware", "AppData/Local/Microsoft/Edge",
	"AppData/Local/Vivaldi", "AppData/Roaming/Opera Software",
}

// IsSecretPlace reports whether name, such as ~/.ssh, is a place that an owner has to
// accept by name.
func IsSecretPlace(name string) bool {
	rest, below := strings.CutPrefix(name, "~/")
	return below && slices.Contains(secretPlaces, rest)
}

// secretsIn returns the places of other programs' secrets that a folder is, lies in or
// contains, such as ~/.ssh. A missing place is not contained, but a folder can lie in
// a place that is missing.
func (r *Resolver) secretsIn(folder string) (found []string) {
	if r.Home == "" {
		return nil
	}
	for _, place := range secretPlaces {
		at := resolved(filepath.Join(r.Home, filepath.FromSlash(place)))
		_, err := os.Stat(at)
		if contains(folder, at) || err == nil && contains(at, folder) {
			found = append(found, "~/"+place)
		}
	}
	return found
}

// refuseSecrets refuses a folder with other programs' secrets that the owner did not
// accept by name.
func refuseSecrets(root *Root, accepted []string) error {
	var places, flags []string
	for _, place := range root.Secrets {
		if !slices.Contains(accepted, place) {
			places, flags = append(places, place), append(flags, "--allow folder="+place)
		}
	}
	if len(places) == 0 {
		return nil
	}
	return abi.NewError(abi.CodeRootSecret, fmt.Sprintf("the folder for root %q has other programs' secrets in it: %s", root.Name, strings.Join(places, ", ")),
		"name another folder; if the connector is to read these secrets: pdpp-host plugins accept CONNECTOR "+strings.Join(flags, " ")).
		WithDetail(chosenBy(choice{root.Name, root.Path, root.Origin}))
}
