package exampletest_test

import (
	"io/fs"
	"strings"
	"testing"

	"github.com/terraform-machine/terraform-provider-machine/internal/provider"
)

// section is the text below a heading of a page, up to the next one of its level.
func section(page, heading string) string {
	_, below, _ := strings.Cut(page, "\n## "+heading+"\n")
	text, _, _ := strings.Cut(below, "\n## ")

	return text
}

// Whoever is about to change an argument has to find out beforehand whether a machine is
// replaced.
func TestEveryArgumentSaysWhatAChangeOfItDoes(t *testing.T) {
	t.Parallel()

	files := repository(t)

	read := func(name string) string {
		content, err := fs.ReadFile(files, name)
		if err != nil {
			t.Fatal(err)
		}

		return string(content)
	}

	arguments := 0

	for name, schema := range providerSchemas(t).ResourceSchemas {
		page := "docs/resources/" + strings.TrimPrefix(name, provider.TypeName+"_") + ".md"
		table := section(read(page), "What a change does")

		for _, attribute := range schema.Block.Attributes {
			if !attribute.Required && !attribute.Optional {
				continue
			}

			arguments++

			if !strings.Contains(table, "`"+attribute.Name+"`") {
				t.Errorf("%s does not say what a change of %s does", page, attribute.Name)
			}
		}

		if name != provider.TypeName+"_class" {
			continue
		}

		capacity := section(read("docs/guides/capacity.md"), "What a change of the class does to machines that run")

		for _, attribute := range schema.Block.Attributes {
			if attribute.Name != "alicloud" {
				continue
			}

			for _, nested := range attribute.NestedType.Attributes {
				if !strings.Contains(capacity, "`"+nested.Name+"`") && !strings.Contains(capacity, "`"+nested.Name+".") {
					t.Errorf("the guide on capacity does not say what a change of %s does", nested.Name)
				}
			}
		}
	}

	if arguments < 20 {
		t.Errorf("found only %d arguments", arguments)
	}
}
