package main

import (
	"errors"
	"io"
	"runtime/debug"
	"strings"

	"github.com/CycloneDX/cyclonedx-go"
)

// errNoModules says that a binary was built without modules, so that nothing is
// known of what is in it.
var errNoModules = errors.New("the binary names no modules: build it in module mode")

// subject is a binary that is described.
type subject struct {
	// info is what the linker recorded in it.
	info *debug.BuildInfo
	// version is that of the release, where the linker recorded none.
	version string
	// hash is the SHA-256 of the file, in hexadecimal digits.
	hash string
}

// write writes the document of a binary. Its error is errNoModules where the binary does
// not say what it is made of, or that of the output.
func write(output io.Writer, of subject) error {
	if of.info.Main.Path == "" || len(of.info.Deps) == 0 {
		return errNoModules
	}

	encoder := cyclonedx.NewBOMEncoder(output, cyclonedx.BOMFileFormatJSON)
	encoder.SetPretty(true)

	return encoder.Encode(document(of))
}

// document says which binary it describes, and lists its modules and the Go release whose
// standard library is in it. It has no serial number and no time: both would differ
// between two documents of one binary.
func document(of subject) *cyclonedx.BOM {
	bom := cyclonedx.NewBOM()
	bom.SerialNumber = ""

	info, main := of.info, of.info.Main
	if of.version != "" {
		main.Version = "v" + strings.TrimPrefix(of.version, "v")
	}

	root := component(&main)
	root.Type = cyclonedx.ComponentTypeApplication
	root.Hashes = &[]cyclonedx.Hash{{Algorithm: cyclonedx.HashAlgoSHA256, Value: of.hash}}
	root.Properties = settings(info)
	bom.Metadata = &cyclonedx.Metadata{Component: &root}

	components := []cyclonedx.Component{{
		BOMRef: "pkg:golang/stdlib@" + info.GoVersion, Type: cyclonedx.ComponentTypeLibrary,
		Name: "stdlib", Version: info.GoVersion, PackageURL: "pkg:golang/stdlib@" + info.GoVersion,
	}}

	for _, module := range info.Deps {
		components = append(components, component(module))
	}

	bom.Components = &components

	return bom
}

// settings are how the binary was built: for which platform, and with which options.
// Those that the linker leaves out of a trimmed build are not there.
func settings(info *debug.BuildInfo) *[]cyclonedx.Property {
	properties := []cyclonedx.Property{}
	for _, setting := range info.Settings {
		properties = append(properties, cyclonedx.Property{Name: "go:" + setting.Key, Value: setting.Value})
	}

	return &properties
}

// component describes a module, and where it was replaced what stands in its place.
func component(module *debug.Module) cyclonedx.Component {
	for module.Replace != nil {
		module = module.Replace
	}

	url := "pkg:golang/" + module.Path + "@" + module.Version
	made := cyclonedx.Component{
		BOMRef: url, Type: cyclonedx.ComponentTypeLibrary, Name: module.Path, Version: module.Version, PackageURL: url,
	}

	// The sum of go.sum, by which a reader can compare with a checksum database. It is
	// a hash of a list of hashes and no plain SHA-256 of a file.
	if module.Sum != "" {
		made.Properties = &[]cyclonedx.Property{{Name: "go:sum", Value: module.Sum}}
	}

	return made
}
