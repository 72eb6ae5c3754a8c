package vault

import "github.com/pdpp-host/pdpp-host/abi"

// The stable codes of what this package refuses.
const (
	CodeKeyMissing         abi.Code = "vault.key_missing"         // there are sealed secrets, and no key
	CodeKeyWrong           abi.Code = "vault.key_wrong"           // sealed with another key
	CodeKeyUnsafe          abi.Code = "vault.key_unsafe"          // a link, another's, or open to others
	CodeKeyUnreadable      abi.Code = "vault.key_unreadable"      // it is there and is no key
	CodeKeyUnwritable      abi.Code = "vault.key_unwritable"      //
	CodeKeyringUnavailable abi.Code = "vault.keyring_unavailable" // asked for, and not there
	CodeDamaged            abi.Code = "vault.damaged"             // a sealed secret was changed
	CodeMisplaced          abi.Code = "vault.misplaced"           // a sealed secret of another connection or field
	CodeValueInvalid       abi.Code = "vault.value_invalid"
)
