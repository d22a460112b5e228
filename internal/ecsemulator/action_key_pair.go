package ecsemulator

import (
	"slices"
	"strconv"
)

const attachKeyPairParameters = `
string 8192: InstanceIds
string: KeyPairName
`

const detachKeyPairParameters = `
string 8192: InstanceIds
string: KeyPairName
`

// keyPairResults is the answer of both actions. Its numbers and booleans are strings, as in the API's own description.
type keyPairResults struct {
	KeyPairName string
	TotalCount  string
	FailCount   string
	Results     struct{ Result []keyPairResult }
}

type keyPairResult struct {
	InstanceID string `json:"InstanceId"`
	Success    string
	Code       string
	Message    string
}

// attachKeyPair replaces the key pair of each instance. In the cloud a running instance takes it after its next reboot.
func attachKeyPair() *action {
	return keyPairAction("AttachKeyPair", attachKeyPairParameters, func(c *call, i *instance) *APIError {
		if i.image.OSType == "windows" {
			return refuse(403, "DependencyViolation.WindowsInstance", "The instance runs Windows, which takes no key pair.")
		}
		if i.keyPair != c.string("KeyPairName") {
			i.keyPair = c.string("KeyPairName")
			c.note(i, "modified", "KeyPairName")
		}
		return nil
	})
}

// detachKeyPair takes the key pair from each instance that has it.
func detachKeyPair() *action {
	return keyPairAction("DetachKeyPair", detachKeyPairParameters, func(c *call, i *instance) *APIError {
		if i.keyPair != c.string("KeyPairName") {
			return refuse(404, "InvalidKeyPairName.NotFound", "The instance does not have the specified KeyPairName.")
		}
		i.keyPair = ""
		c.note(i, "modified", "KeyPairName")
		return nil
	})
}

func keyPairAction(name, declares string, change func(*call, *instance) *APIError) *action {
	return ecsAction(name, declares, func(c *call) (any, *APIError) {
		pair := c.string("KeyPairName")
		ids, refusal := c.namedInstances(50)
		switch {
		case refusal != nil:
			return nil, refusal
		case pair == "":
			return nil, missingParameter("KeyPairName")
		case !slices.ContainsFunc(c.region.KeyPairs, func(k KeyPair) bool { return k.Name == pair }):
			return nil, refuse(404, "InvalidKeyPairName.NotFound", "The specified KeyPairName does not exist.")
		}
		answer, failed := keyPairResults{KeyPairName: pair, TotalCount: strconv.Itoa(len(ids))}, 0
		for _, id := range ids {
			result := keyPairResult{InstanceID: id, Success: "true", Code: "200", Message: "successful"}
			i, found := c.find(id)
			refusal := instanceNotFound()
			if found {
				refusal = change(c, i)
			}
			if refusal != nil {
				result.Success, result.Code, result.Message = "false", refusal.Code, refusal.Message
				failed++
			}
			answer.Results.Result = append(answer.Results.Result, result)
		}
		answer.FailCount = strconv.Itoa(failed)
		return answer, nil
	})
}
