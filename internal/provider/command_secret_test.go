package provider_test

import (
	"archive/zip"
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"io"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/terraform-machine/terraform-provider-machine/internal/acctest"
	"github.com/terraform-machine/terraform-provider-machine/internal/ecsemulator"
	"github.com/terraform-machine/terraform-provider-machine/internal/terraformcli"
)

// The secrets of the test. Their letters survive every quoting.
const (
	markerOfFile      = "fileMARKERq7Zw9Xv2Kd4"
	markerOfVariable  = "variableMARKERh3Tn8Rb5Lc1"
	markerOfPassword  = "passwordMARKERk8Fw4Js6"
	markerOfAccessKey = "accessKeyMARKERm6Yp0Sg2Ju7"
)

func commandKeepsSecrets(t *testing.T, installation *terraformcli.Installation) {
	const accessKeyID = "LTAI5tSecretsTest"

	fileData, variableData := "#cloud-config\nwrite_files: ["+markerOfFile+"]\n", "#!/bin/sh\nexport TOKEN="+markerOfVariable+"\n"

	c := newCommand(t, installation, ecsemulator.Options{AccessKeys: []ecsemulator.AccessKey{{ID: accessKeyID, Secret: markerOfAccessKey}}})
	c.workspace.Variables["TF_VAR_first_boot"] = variableData
	c.workspace.Variables["TF_VAR_password"] = markerOfPassword
	c.workspace.Variables["TF_LOG"] = "TRACE"
	c.workspace.Variables["TF_LOG_PATH"] = filepath.Join(c.workspace.Directory, "trace.log")
	c.write("cloud-init.yaml", fileData)
	c.configure(`
variable "first_boot" {
  type      = string
  ephemeral = true
}

variable "password" {
  type      = string
  ephemeral = true
}
` + acctest.Class() +
		acctest.Allocation("of-file", acctest.Arguments{"password_wo": "var.password", "user_data_wo": `file("cloud-init.yaml")`, "user_data_wo_version": "1"}) +
		acctest.Allocation("of-variable", acctest.Arguments{"user_data_wo_base64": `base64encode(var.first_boot)`, "user_data_wo_version": "1"}))
	c.run("init")
	c.run("plan", "-out=saved.plan")
	c.run("show", "-json", "saved.plan")

	// Transport errors and refusals that quote what was sent come to light in logs and errors.
	c.cloud.Rule(t, ecsemulator.Rule{Kind: ecsemulator.RuleCut, Action: "RunInstances", Times: 2})
	c.refuseQuoting("of-file", fileData, markerOfPassword)
	c.refuseQuoting("of-variable", variableData)
	c.fail(acctest.Text("Cannot launch", "InvalidParameter"), "apply", "saved.plan")

	for _, name := range []string{"of-file", "of-variable"} {
		if err := c.cloud.RemoveRule(name); err != nil {
			t.Fatal(err)
		}
	}

	c.run("plan", "-out=saved.plan")
	c.run("apply", "saved.plan")
	c.run("show", "-json")
	c.run("plan", "-detailed-exitcode")
	c.expectMachines(2)

	got := map[string]bool{}
	for _, machine := range c.cloud.Alive() {
		got[machine.UserDataSHA256] = true
	}

	if want := map[string]bool{hashOf(fileData): true, hashOf(variableData): true}; !slices.Equal(sortedKeys(got), sortedKeys(want)) {
		t.Errorf("the machines got user data of the hashes %v, want %v", got, want)
	}

	c.expectDestroyed()
	c.expectNowhere(markerOfFile, markerOfVariable, markerOfPassword, markerOfAccessKey)
}

// refuseQuoting refuses the launch of a machine with a message that repeats what was
// sent.
func (c *command) refuseQuoting(name, userData string, others ...string) {
	c.Helper()
	c.cloud.Rule(c.T, ecsemulator.Rule{
		ID: name, Kind: ecsemulator.RuleError, Action: "RunInstances", Parameters: map[string]string{"InstanceName": name},
		Code: "InvalidParameter", HTTPStatus: 400,
		Message: "The parameter UserData " + base64.StdEncoding.EncodeToString([]byte(userData)) + " is not welcome, nor is " + userData + strings.Join(others, ", nor is "),
	})
}

func hashOf(text string) string {
	sum := sha256.Sum256([]byte(text))

	return hex.EncodeToString(sum[:])
}

func sortedKeys(set map[string]bool) []string {
	var keys []string
	for key := range set {
		keys = append(keys, key)
	}

	slices.Sort(keys)

	return keys
}

// expectNowhere wants none of the secrets, in no form, in any file of the workspace
// (but the one that the user wrote), in what commands printed, or in what the
// emulator keeps. It also makes sure that it looked at what it means to look at.
func (c *command) expectNowhere(secrets ...string) {
	c.Helper()

	calls, err := json.Marshal(c.cloud.Calls())
	if err != nil {
		c.Fatal(err)
	}

	places := map[string][]byte{"what commands printed": c.printed, "the emulator's log": []byte(c.cloud.Log()), "the emulator's calls": calls}
	c.addFiles(places)

	for _, name := range []string{"terraform.tfstate", "terraform.tfstate.backup", "trace.log", "saved.plan/tfplan", "saved.plan/tfstate", "the emulator's log"} {
		if len(places[name]) == 0 {
			c.Errorf("there is no %s to look into", name)
		}
	}

	if !bytes.Contains(places["trace.log"], []byte("RunInstances")) {
		c.Error("the trace shows no call")
	}

	for place, content := range places {
		for _, secret := range secrets {
			for form, text := range formsOf(secret) {
				if bytes.Contains(content, []byte(text)) {
					c.Errorf("%s holds a secret, %s", place, form)
				}
			}
		}
	}
}

func (c *command) addFiles(places map[string][]byte) {
	c.Helper()

	root := c.workspace.Directory

	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.Type().IsRegular() || entry.Name() == "cloud-init.yaml" {
			return err
		}

		content, err := os.ReadFile(path)
		if err != nil {
			return err
		}

		name, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}

		places[filepath.ToSlash(name)] = content

		if archive, err := zip.NewReader(bytes.NewReader(content), int64(len(content))); err == nil {
			return addArchive(places, name, archive)
		}

		return nil
	})
	if err != nil {
		c.Fatal(err)
	}
}

func addArchive(places map[string][]byte, name string, archive *zip.Reader) error {
	for _, entry := range archive.File {
		reader, err := entry.Open()
		if err != nil {
			return err
		}

		content, err := io.ReadAll(reader)
		if err != nil {
			return err
		}

		if err := reader.Close(); err != nil {
			return err
		}

		places[name+"/"+entry.Name] = content
	}

	return nil
}

// formsOf returns a secret as it could stand somewhere within other text.
func formsOf(secret string) map[string]string {
	forms := map[string]string{
		"plain":       secret,
		"in hex":      hex.EncodeToString([]byte(secret)),
		"in big hex":  strings.ToUpper(hex.EncodeToString([]byte(secret))),
		"url encoded": url.QueryEscape(secret),
	}

	// The Base64 of a text within another depends on where it begins; what its
	// neighbors have a part in is cut off.
	for offset, cut := range []int{0, 2, 3} {
		padded := append(make([]byte, offset), secret...)
		padded = padded[:len(padded)-len(padded)%3]
		encoded := base64.RawStdEncoding.EncodeToString(padded)[cut:]
		forms["in Base64, shifted by "+string(rune('0'+offset))] = encoded
		forms["in URL encoded Base64, shifted by "+string(rune('0'+offset))] = url.QueryEscape(encoded)
	}

	return forms
}

// The search itself finds a secret wherever in other text it stands.
func TestASecretIsFoundInEveryForm(t *testing.T) {
	t.Parallel()

	for before := range 6 {
		text := strings.Repeat("-", before) + markerOfFile + "+ and more"
		found := false

		for form, want := range formsOf(markerOfFile) {
			found = found || strings.HasPrefix(form, "in Base64") && strings.Contains(base64.StdEncoding.EncodeToString([]byte(text)), want)
		}

		if !found {
			t.Errorf("the Base64 of %q is not found", text)
		}
	}
}
