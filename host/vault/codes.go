package vault

import "github.com/pdpp-host/pdpp-host/abi"

// The stable codes of this package's refusals.
const (
	CodeKeyMissing         abi.Code = "vault.key_missing"         // there are sealed secrets, and no key
	CodeKeyWrong           abi.Code = "vault.key_wrong"           // sealed with another key
	CodeKeyUnsafe          abi.Code = "vault.key_unsafe"          // a link, another user's, or readable by others
	CodeKeyUnreadable      abi.Code = "vault.key_unreadable"      // the file exists and holds no key
	CodeKeyUnwritable      abi.Code = "vault.key_unwritable"      //
	CodeKeyringUnavailable abi.Code = "vault.keyring_unavailable" // requested, and not available
	CodeDamaged            abi.Code = "vault.damaged"             // a sealed secret was changed
	CodeMisplaced          abi.Code = "vault.misplaced"           // a sealed secret belongs to another connection or field
	CodeValueInvalid       abi.Code = "vault.value_invalid"
)
