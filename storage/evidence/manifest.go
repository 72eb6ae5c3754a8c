package evidence

import (
	"encoding/json"

	"github.com/pdpp-host/pdpp-host/abi"
	"github.com/pdpp-host/pdpp-host/health"
	"github.com/pdpp-host/pdpp-host/health/stored"
)

// AcceptManifest keeps what health depends on of a manifest. It was validated
// when it was accepted; it is not again.
func AcceptManifest(f *stored.Facts, text string) error {
	if text == "" {
		return nil
	}
	var m struct {
		Setup        abi.Setup        `json:"setup"`
		Capabilities abi.Capabilities `json:"capabilities"`
		Requirements struct {
			Bindings map[string]abi.Binding `json:"bindings"`
			Network  struct {
				Credentials []abi.CredentialSlot `json:"credentials"`
			} `json:"network"`
		} `json:"runtime_requirements"`
		Streams []struct {
			Name           string `json:"name"`
			Required       *bool  `json:"required"`
			CoveragePolicy string `json:"coverage_policy"`
		} `json:"streams"`
	}
	if err := json.Unmarshal([]byte(text), &m); err != nil {
		return err
	}
	out := &stored.Manifest{Credentials: RequiredCredentials(&abi.Manifest{
		Setup: m.Setup, Capabilities: m.Capabilities,
		Requirements: abi.RuntimeRequirements{Network: &abi.NetworkRequirements{Credentials: m.Requirements.Network.Credentials}},
	})}
	needs := abi.Manifest{Requirements: abi.RuntimeRequirements{Bindings: m.Requirements.Bindings}}
	switch declared, required := needs.Declares(abi.BindingBrowser); {
	case required:
		out.Browser = stored.BrowserRequired
	case declared:
		out.Browser = stored.BrowserOptional
	}
	if p := m.Capabilities.RefreshPolicy; p != nil {
		out.Refresh = &health.Refresh{
			BackgroundSafe: p.BackgroundSafe, RecommendedMode: health.Word(p.RecommendedMode), InteractionPosture: health.Word(p.InteractionPosture),
		}
		if p.MaximumStalenessSeconds != nil {
			out.MaximumStalenessS = *p.MaximumStalenessSeconds
		}
	}
	for _, s := range m.Streams {
		st := health.ManifestStream{Name: s.Name, CoveragePolicy: health.CoverageAxis(s.CoveragePolicy)}
		if s.Required != nil && !*s.Required {
			st.Required = s.Required
		}
		if st.CoveragePolicy == abi.CoverageCollect {
			st.CoveragePolicy = ""
		}
		out.Streams = append(out.Streams, st)
	}
	f.Manifest = out
	return nil
}
