package ecsemulator

import "slices"

const describeInstanceRAMRoleParameters = `
string 8192: InstanceIds
string: RamRoleName
integer: PageNumber PageSize
`

const attachInstanceRAMRoleParameters = `
string 8192: InstanceIds
string: RamRoleName
string 4096: Policy
`

const detachInstanceRAMRoleParameters = `
string 8192: InstanceIds
string: RamRoleName
`

type describeRAMRoleAnswer struct {
	RegionID            string `json:"RegionId"`
	TotalCount          int
	InstanceRAMRoleSets ramRoleSets `json:"InstanceRamRoleSets"`
}

type ramRoleSets struct {
	InstanceRAMRoleSet []ramRoleSet `json:"InstanceRamRoleSet"`
}

type ramRoleSet struct {
	InstanceID  string `json:"InstanceId"`
	RAMRoleName string `json:"RamRoleName"`
}

type attachRAMRoleAnswer struct {
	RAMRoleName string `json:"RamRoleName"`
	TotalCount  int
	FailCount   int
	Results     struct {
		Result []ramRoleResult `json:"AttachInstanceRamRoleResult"`
	} `json:"AttachInstanceRamRoleResults"`
}

type detachRAMRoleAnswer struct {
	RAMRoleName string `json:"RamRoleName"`
	TotalCount  int
	FailCount   int
	Results     struct {
		Result []ramRoleResult `json:"DetachInstanceRamRoleResult"`
	} `json:"DetachInstanceRamRoleResults"`
}

type ramRoleResult struct {
	InstanceID          string `json:"InstanceId"`
	Success             bool
	Code                string
	Message             string
	InstanceRAMRoleSets *ramRoleSets `json:"InstanceRamRoleSets,omitempty"`
}

// describeInstanceRAMRole tells of every instance that was asked for, also of those without a role.
func describeInstanceRAMRole() *action {
	return ecsAction("DescribeInstanceRamRole", describeInstanceRAMRoleParameters, func(c *call) (any, *APIError) {
		if ids, _, _ := c.jsonList("InstanceIds"); len(ids) > 50 {
			return nil, refuse(400, "InvalidInstanceIds.Malformed", "The specified InstanceIds are not valid: at most 50 ids in a JSON array.")
		}
		if !c.has("InstanceIds") && !c.has("RamRoleName") {
			return nil, missingParameter("InstanceIds")
		}
		found, refusal := c.listedByJSON()
		if refusal != nil {
			return nil, refusal
		}
		found = slices.DeleteFunc(found, func(i *instance) bool { return c.has("RamRoleName") && i.ramRole != c.string("RamRoleName") })
		page, refusal := c.pageByNumber(len(found), 50)
		if refusal != nil {
			return nil, refusal
		}
		answer := describeRAMRoleAnswer{RegionID: c.region.ID, TotalCount: len(found), InstanceRAMRoleSets: ramRoleSets{[]ramRoleSet{}}}
		for _, i := range found[page.first:page.end] {
			answer.InstanceRAMRoleSets.InstanceRAMRoleSet = append(answer.InstanceRAMRoleSets.InstanceRAMRoleSet, ramRoleSet{i.id, i.ramRole})
		}
		return answer, nil
	})
}

// attachInstanceRAMRole answers for each instance. That an instance with another role is left as it is is documented; the code is a guess.
func attachInstanceRAMRole() *action {
	return ecsAction("AttachInstanceRamRole", attachInstanceRAMRoleParameters, func(c *call) (any, *APIError) {
		role := c.string("RamRoleName")
		ids, refusal := c.namedInstances(maxBatch)
		switch {
		case refusal != nil:
			return nil, refusal
		case role == "":
			return nil, missingParameter("RamRoleName")
		}
		if refusal := c.checkInstanceRole(role); refusal != nil {
			return nil, refusal
		}
		answer := attachRAMRoleAnswer{RAMRoleName: role, TotalCount: len(ids)}
		for _, id := range ids {
			result := c.changeRole(id, role, func(i *instance) *APIError {
				if i.ramRole != "" && i.ramRole != role {
					return refuse(403, "InvalidOperation.RamRoleAlreadyAttached", "The instance already has a RAM role.")
				}
				return nil
			})
			if !result.Success {
				answer.FailCount++
			}
			answer.Results.Result = append(answer.Results.Result, result)
		}
		return answer, nil
	})
}

// detachInstanceRAMRole answers for each instance. Without RamRoleName it takes away whatever role there is.
func detachInstanceRAMRole() *action {
	return ecsAction("DetachInstanceRamRole", detachInstanceRAMRoleParameters, func(c *call) (any, *APIError) {
		role := c.string("RamRoleName")
		ids, refusal := c.namedInstances(maxBatch)
		if refusal != nil {
			return nil, refusal
		}
		answer := detachRAMRoleAnswer{RAMRoleName: role, TotalCount: len(ids)}
		for _, id := range ids {
			had := ""
			result := c.changeRole(id, "", func(i *instance) *APIError {
				if i.ramRole == "" || role != "" && i.ramRole != role {
					return refuse(404, "InvalidRamRole.NotFound", "The instance does not have the specified RamRoleName.")
				}
				had = i.ramRole
				return nil
			})
			if !result.Success {
				answer.FailCount++
			}
			result.InstanceRAMRoleSets = &ramRoleSets{[]ramRoleSet{}}
			if had != "" {
				result.InstanceRAMRoleSets.InstanceRAMRoleSet = append(result.InstanceRAMRoleSets.InstanceRAMRoleSet, ramRoleSet{id, had})
			}
			answer.Results.Result = append(answer.Results.Result, result)
		}
		return answer, nil
	})
}

// changeRole gives one instance the role, or none, if the check lets it.
func (c *call) changeRole(id, role string, check func(*instance) *APIError) ramRoleResult {
	i, found := c.find(id)
	refusal := instanceNotFound()
	if found {
		refusal = check(i)
	}
	if refusal != nil {
		return ramRoleResult{InstanceID: id, Code: refusal.Code, Message: refusal.Message}
	}
	if i.ramRole != role {
		i.ramRole = role
		c.note(i, "modified", "RamRoleName")
	}
	return ramRoleResult{InstanceID: id, Success: true, Code: "200", Message: "success"}
}
