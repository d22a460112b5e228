package main

import (
	"errors"
	"io"
	"runtime/debug"

	"github.com/CycloneDX/cyclonedx-go"
)

// errNoModules says that a binary was built without modules, so that nothing is
// known of what is in it.
var errNoModules = errors.New("the binary names no modules: build it in module mode")

// write writes the document of a binary.
func write(output io.Writer, info *debug.BuildInfo) error {
	if info.Main.Path == "" || len(info.Deps) == 0 {
		return errNoModules
	}

	encoder := cyclonedx.NewBOMEncoder(output, cyclonedx.BOMFileFormatJSON)
	encoder.SetPretty(true)

	return encoder.Encode(document(info))
}

// document lists the modules of a binary and the Go release whose standard library
// is in it. It has no serial number and no time: both would differ between two
// documents of one binary.
func document(info *debug.BuildInfo) *cyclonedx.BOM {
	bom := cyclonedx.NewBOM()
	bom.SerialNumber = ""

	root := component(&info.Main)
	root.Type = cyclonedx.ComponentTypeApplication
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
