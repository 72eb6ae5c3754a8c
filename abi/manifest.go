package abi

// Manifest is a connector's description of itself. It holds only the fields that the
// host acts on; abi/manifest accepts every field of the Collection Profile's appendix
// and validates these.
type Manifest struct {
	ConnectorID     string              `json:"connector_id"`
	ConnectorKey    string              `json:"connector_key"`
	DisplayName     string              `json:"display_name"`
	Version         string              `json:"version"`
	ProtocolVersion string              `json:"protocol_version"`
	Requirements    RuntimeRequirements `json:"runtime_requirements"`
	Capabilities    Capabilities        `json:"capabilities"`
	Setup           Setup               `json:"setup"`
	Streams         []Stream            `json:"streams"`
	ReasonMessages  map[string]string   `json:"reason_display_messages"`
	// Options are the options that an owner may set. nil: the manifest does not
	// declare options, and the host passes on any; empty: there are none.
	Options []Option `json:"options"`
}

// The types of an option.
const (
	OptionString  = "string"
	OptionInteger = "integer"
	OptionBoolean = "boolean"
)

// Option is one option of a connector.
type Option struct {
	Name        string `json:"name"`
	Type        string `json:"type"`
	Default     Raw    `json:"default"` // a value of Type; nil: there is none
	Description string `json:"description"`
}

// RuntimeRequirements is what the connector needs to run.
type RuntimeRequirements struct {
	Bindings    map[string]Binding `json:"bindings"`
	Environment []string           `json:"environment_variables"`
	LocalPaths  *LocalPaths        `json:"local_paths"`
	// Network is this project's extension: the hosts that the connector may
	// reach, each with the reason an owner reads.
	Network *NetworkRequirements `json:"network"`
	// Browser is this project's extension, too: where the pages of a browser may go.
	Browser *BrowserRequirements `json:"browser"`
}

// NetworkRequirements lists the hosts that a connector may reach.
type NetworkRequirements struct {
	Hosts []NetworkHost `json:"hosts"`
	// Provider describes the provider's documented limits. Without it the host
	// discovers them (RT-25).
	Provider    *Provider        `json:"provider"`
	Credentials []CredentialSlot `json:"credentials"`
	// PacingStream is the declared stream whose cursor carries the learned rate
	// (RT-26). Without it every run starts cold.
	PacingStream string `json:"pacing_stream"`
}

// NetworkHost is one host and why it is needed.
type NetworkHost struct {
	Host string `json:"host"`
	// Option stands instead of Host in the manifest of a connector that asks a server of its
	// owner's: the option in which the owner gives its address, OptionBaseURL.
	Option string `json:"option"`
	Reason string `json:"reason"`
}

// OptionBaseURL is the option in which an owner gives the address that a connector asks:
// another one than its provider's, or that of a server of their own.
const OptionBaseURL = "base_url"

// Place names the host for an owner.
func (h NetworkHost) Place() string {
	if h.Option != "" {
		return "the address in your option " + h.Option
	}
	return h.Host
}

// OwnServer returns the host whose address the owner gives, nil when the manifest names its
// hosts.
func (n *NetworkRequirements) OwnServer() *NetworkHost {
	for i := range n.Hosts {
		if n.Hosts[i].Option != "" {
			return &n.Hosts[i]
		}
	}
	return nil
}

// Binding is a connector's demand for one binding.
type Binding struct {
	Required bool `json:"required"`
}

// LocalPaths lists the folders that a filesystem connector reads. The home root's name
// is the connector_key; each further path with its own override is a root called Name,
// or else its label in snake case.
type LocalPaths struct {
	HomeEnvOverride string      `json:"home_env_override"`
	HomeDefault     string      `json:"home_default_relative_to_user_home"`
	Paths           []LocalPath `json:"paths"`
	// Ignores are the files that the connector leaves alone, which the owner is shown
	// before consent (AC-02); this project's extension.
	Ignores []Ignore `json:"ignores"`
	// Rules are those by which the connector passes over files that it looks at, or the rest of
	// them; the owner is shown them, too (AC-02).
	Rules []FilesRule `json:"rules"`
}

// FilesRule is a rule that an ACCOUNT names. Beginning: of its files the beginning is read, and else
// nothing is.
type FilesRule struct {
	Name      string `json:"name"`
	Reason    string `json:"reason"`
	Beginning bool   `json:"beginning"`
}

// Ignore is a rule by which files are not for a connector. A Pattern without a slash is
// held against a file's name in any folder, one with a slash against its path below the
// root, both as by path.Match; one that ends in a slash covers everything in that folder.
type Ignore struct {
	Pattern string `json:"pattern"`
	Reason  string `json:"reason"`
}

// LocalPath is one folder below the home root, or in place of one.
type LocalPath struct {
	Name                 string `json:"name"` // this project's extension
	Label                string `json:"label"`
	DefaultRelative      string `json:"default_relative_to_home"`
	EnvOverride          string `json:"env_override"`
	RequiredForReadiness bool   `json:"required_for_readiness"`
}

// RootName returns the name under which the path is mounted when it is granted
// separately: its Name, or else its Label in snake case; "" if the label holds no
// ASCII letter or digit.
func (p LocalPath) RootName() string {
	if p.Name != "" {
		return p.Name
	}
	name := make([]byte, 0, len(p.Label))
	gap := false
	for i := range len(p.Label) {
		c := p.Label[i]
		if c >= 'A' && c <= 'Z' {
			c += 'a' - 'A'
		}
		if (c < 'a' || c > 'z') && (c < '0' || c > '9') {
			gap = true
			continue
		}
		if gap && len(name) > 0 {
			name = append(name, '_')
		}
		gap = false
		name = append(name, c)
	}
	return string(name)
}

// Capabilities holds the parts of capabilities that the host reads.
type Capabilities struct {
	RefreshPolicy *RefreshPolicy `json:"refresh_policy"`
	Auth          *Auth          `json:"auth"`
}

// Auth holds the parts of capabilities.auth that the host reads.
type Auth struct {
	Kind     string   `json:"kind"`
	Required []string `json:"required"` // environment names of required credentials
}

// RefreshPolicy is scheduling advice, not protocol (RT-01).
type RefreshPolicy struct {
	RecommendedMode            string `json:"recommended_mode"`
	Rationale                  string `json:"rationale"`
	RecommendedIntervalSeconds *int64 `json:"recommended_interval_seconds"`
	MinimumIntervalSeconds     *int64 `json:"minimum_interval_seconds"`
	MaximumStalenessSeconds    *int64 `json:"maximum_staleness_seconds"`
	InteractionPosture         string `json:"interaction_posture"`
	SessionLifetimeSeconds     *int64 `json:"session_lifetime_seconds"`
	RateLimitSensitivity       string `json:"rate_limit_sensitivity"`
	BotDetectionSensitivity    string `json:"bot_detection_sensitivity"`
	BackgroundSafe             *bool  `json:"background_safe"`
	AssistedAfterOwnerAuth     *bool  `json:"assisted_after_owner_auth"`
	MaxCooldownCycles          *int64 `json:"max_cooldown_cycles"`
	MaxRecoveryAttempts        *int64 `json:"max_recovery_attempts"`
}

// Setup holds the parts of setup that the host reads.
type Setup struct {
	Modality          string             `json:"modality"`
	CredentialCapture *CredentialCapture `json:"credential_capture"`
}

// CredentialCapture is the form in which an owner enters credentials.
type CredentialCapture struct {
	Kind     string            `json:"kind"`
	Label    string            `json:"label"`
	Required *bool             `json:"required"` // absent: true
	Fields   []CredentialField `json:"fields"`
}

// CredentialField is one field of the form.
type CredentialField struct {
	Name     string   `json:"name"`
	Label    string   `json:"label"`
	Env      []string `json:"env"` // the first name that is set wins
	Required bool     `json:"required"`
	Secret   *bool    `json:"secret"` // absent: true
}

// Stream semantics. SemanticsAppend is the reference manifests' third spelling
// and counts as append-only.
const (
	SemanticsMutable    = "mutable_state"
	SemanticsAppendOnly = "append_only"
	SemanticsAppend     = "append"
)

// Coverage policies (RT-11). An absent policy is CoverageCollect.
const (
	CoverageCollect       = "collect"
	CoverageDeferred      = "deferred"
	CoverageInventoryOnly = "inventory_only"
	CoverageUnavailable   = "unavailable"
	CoverageUnsupported   = "unsupported"
)

// Stream is one stream's declaration.
type Stream struct {
	Name              string    `json:"name"`
	Description       string    `json:"description"`
	Schema            Raw       `json:"schema"`
	PrimaryKey        []string  `json:"primary_key"`
	Semantics         string    `json:"semantics"`
	CursorField       string    `json:"cursor_field"`
	ConsentTimeField  string    `json:"consent_time_field"`
	Incremental       bool      `json:"incremental"`
	Required          *bool     `json:"required"` // absent: true, but false with a coverage policy other than collect
	CoveragePolicy    string    `json:"coverage_policy"`
	CoverageStrategy  string    `json:"coverage_strategy"`
	FreshnessStrategy string    `json:"freshness_strategy"`
	StateStream       string    `json:"state_stream"`
	ParentStreams     []string  `json:"parent_streams"`
	Selection         Selection `json:"selection"`
	// Merges says why several items of the source may become one record (AC-04); nil: they
	// may not, and those that do are a fault of the key. This project's extension.
	Merges *Merges `json:"merges"`
	// UnknownNames are names of the source that the connector passes over on purpose (AC-05).
	// This project's extension.
	UnknownNames []string `json:"unknown_names"`
}

// Merges is why several items of a source are one record.
type Merges struct {
	Reason string `json:"reason"`
}

// Selection says how a stream can be narrowed.
type Selection struct {
	Fields        bool   `json:"fields"`
	Resources     bool   `json:"resources"`
	ResourceField string `json:"resource_field"`
	// ResourceFieldScope is this project's opt-in: a record whose resource_field is in
	// the resources set passes (RT-05 speaks only of the key, so the default is
	// strict).
	ResourceFieldScope bool `json:"resource_field_scope"`
	// OptionalSkipKeys is this project's opt-in for crediting
	// optional_skip_keys of a DETAIL_COVERAGE.
	OptionalSkipKeys bool `json:"optional_skip_keys"`
}

// Stream returns the stream named name, or nil.
func (m *Manifest) Stream(name string) *Stream {
	for i := range m.Streams {
		if m.Streams[i].Name == name {
			return &m.Streams[i]
		}
	}
	return nil
}

// AppendOnly reports whether the stream never deletes (RT-07.2).
func (s *Stream) AppendOnly() bool {
	return s.Semantics == SemanticsAppendOnly || s.Semantics == SemanticsAppend
}

// Policy returns the coverage policy, CoverageCollect when absent (RT-11.3).
func (s *Stream) Policy() string {
	if s.CoveragePolicy == "" {
		return CoverageCollect
	}
	return s.CoveragePolicy
}

// Parents returns the streams whose checkpoints cover this stream's records: all of
// parent_streams, else state_stream, else the stream itself.
func (s *Stream) Parents() []string {
	switch {
	case len(s.ParentStreams) > 0:
		return s.ParentStreams
	case s.StateStream != "":
		return []string{s.StateStream}
	default:
		return []string{s.Name}
	}
}

// Declares reports whether the manifest declares the binding, under either of
// its spellings, and whether it requires it.
func (m *Manifest) Declares(binding string) (declared, required bool) {
	b, ok := m.Requirements.Bindings[binding]
	if !ok && binding == BindingBrowser {
		b, ok = m.Requirements.Bindings[BindingBrowserLegacy]
	}
	return ok, b.Required
}
