package architecture

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"
)

// releaseFile is what a registry depends on in the release file.
type releaseFile struct {
	Version     int    `json:"version"`
	ProjectName string `json:"project_name"`
	Builds      []struct {
		Binary       string   `json:"binary"`
		Env          []string `json:"env"`
		Flags        []string `json:"flags"`
		Ldflags      []string `json:"ldflags"`
		ModTimestamp string   `json:"mod_timestamp"`
		Goos         []string `json:"goos"`
		Goarch       []string `json:"goarch"`
		Ignore       []any    `json:"ignore"`
	} `json:"builds"`
	Archives []struct {
		Formats      []string `json:"formats"`
		NameTemplate string   `json:"name_template"`
		BuildsInfo   struct {
			Mtime string `json:"mtime"`
		} `json:"builds_info"`
	} `json:"archives"`
	Checksum struct {
		NameTemplate string      `json:"name_template"`
		Algorithm    string      `json:"algorithm"`
		ExtraFiles   []extraFile `json:"extra_files"`
	} `json:"checksum"`
	Signs []struct {
		Artifacts string   `json:"artifacts"`
		Args      []string `json:"args"`
	} `json:"signs"`
	SBOMs []struct {
		Artifacts string   `json:"artifacts"`
		Args      []string `json:"args"`
	} `json:"sboms"`
	Release struct {
		ExtraFiles []extraFile `json:"extra_files"`
	} `json:"release"`
}

type extraFile struct {
	Glob         string `json:"glob"`
	NameTemplate string `json:"name_template"`
}

func readReleaseFile(t *testing.T) releaseFile {
	t.Helper()

	content, err := os.ReadFile(filepath.Join(moduleRoot(t), ".goreleaser.yml"))
	if err != nil {
		t.Fatal(err)
	}

	var file releaseFile
	if err := yaml.Unmarshal(content, &file); err != nil {
		t.Fatal(err)
	}

	return file
}

// The registry protocol fixes these names: a CLI finds nothing under others.
func TestAReleaseHasTheNamesThatARegistryExpects(t *testing.T) {
	t.Parallel()

	file := readReleaseFile(t)

	manifest := extraFile{Glob: "terraform-registry-manifest.json", NameTemplate: "{{ .ProjectName }}_{{ .Version }}_manifest.json"}

	if file.Version != 2 || file.ProjectName != "terraform-provider-machine" {
		t.Errorf("version %d of the format, project %q", file.Version, file.ProjectName)
	}

	if len(file.Builds) != 1 || len(file.Archives) != 1 || len(file.Signs) != 1 || len(file.SBOMs) != 1 {
		t.Fatalf("%d builds, %d archives, %d signatures, %d bills of materials; want one of each",
			len(file.Builds), len(file.Archives), len(file.Signs), len(file.SBOMs))
	}

	for what, names := range map[string][2]string{
		"binary":    {file.Builds[0].Binary, "{{ .ProjectName }}_v{{ .Version }}"},
		"archive":   {file.Archives[0].NameTemplate, "{{ .ProjectName }}_{{ .Version }}_{{ .Os }}_{{ .Arch }}"},
		"checksums": {file.Checksum.NameTemplate, "{{ .ProjectName }}_{{ .Version }}_SHA256SUMS"},
		"algorithm": {file.Checksum.Algorithm, "sha256"},
		"signed":    {file.Signs[0].Artifacts, "checksum"},
		"described": {file.SBOMs[0].Artifacts, "binary"},
	} {
		if names[0] != names[1] {
			t.Errorf("%s: %q, want %q", what, names[0], names[1])
		}
	}

	if !slices.Equal(file.Archives[0].Formats, []string{"zip"}) {
		t.Errorf("archives are %v, want zip", file.Archives[0].Formats)
	}

	if !slices.Contains(file.Signs[0].Args, "--detach-sign") || slices.Contains(file.Signs[0].Args, "--armor") {
		t.Errorf("the signature is made with %v, want a detached binary one", file.Signs[0].Args)
	}

	// The command runs in the directory of what was built, and has to be found from there.
	if args := file.SBOMs[0].Args; len(args) < 2 || args[0] != "run" || args[1] != modulePath+"/internal/cmd/sbom" {
		t.Errorf("the bill of materials is made with %v, want the package by its import path", args)
	}

	if !slices.Contains(file.Checksum.ExtraFiles, manifest) || !slices.Contains(file.Release.ExtraFiles, manifest) {
		t.Error("the manifest is not among the files and the checksums of a release")
	}
}

func TestAReleaseCanBeBuiltAgainByAnybody(t *testing.T) {
	t.Parallel()

	build := readReleaseFile(t).Builds[0]

	for what, present := range map[string]bool{
		"CGO_ENABLED=0":               slices.Contains(build.Env, "CGO_ENABLED=0"),
		"-trimpath":                   slices.Contains(build.Flags, "-trimpath"),
		"-buildvcs=false":             slices.Contains(build.Flags, "-buildvcs=false"),
		"the version":                 strings.Contains(strings.Join(build.Ldflags, " "), "-X main.version={{ .Version }}"),
		"the time of the commit":      build.ModTimestamp == "{{ .CommitTimestamp }}",
		"the archive's time":          readReleaseFile(t).Archives[0].BuildsInfo.Mtime == "{{ .CommitDate }}",
		"no time of the build itself": !strings.Contains(strings.Join(build.Ldflags, " "), ".Date"),
	} {
		if !present {
			t.Errorf("missing: %s", what)
		}
	}
}

func TestAReleaseServesEveryPlatformThatIsPromised(t *testing.T) {
	t.Parallel()

	build := readReleaseFile(t).Builds[0]

	if want := []string{"linux", "darwin", "windows"}; !slices.Equal(build.Goos, want) {
		t.Errorf("systems %v, want %v", build.Goos, want)
	}

	if want := []string{"amd64", "arm64"}; !slices.Equal(build.Goarch, want) {
		t.Errorf("architectures %v, want %v", build.Goarch, want)
	}

	if len(build.Ignore) > 0 {
		t.Errorf("left out: %v", build.Ignore)
	}
}

// The provider serves protocol 6; a registry that says otherwise keeps every CLI from
// installing it.
func TestTheManifestNamesTheProtocolThatIsServed(t *testing.T) {
	t.Parallel()

	content, err := os.ReadFile(filepath.Join(moduleRoot(t), "terraform-registry-manifest.json"))
	if err != nil {
		t.Fatal(err)
	}

	var manifest struct {
		Version  int `json:"version"`
		Metadata struct {
			ProtocolVersions []string `json:"protocol_versions"`
		} `json:"metadata"`
	}
	if err := json.Unmarshal(content, &manifest); err != nil {
		t.Fatal(err)
	}

	if manifest.Version != 1 || !slices.Equal(manifest.Metadata.ProtocolVersions, []string{"6.0"}) {
		t.Errorf("%s", content)
	}
}
