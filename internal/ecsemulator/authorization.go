package ecsemulator

import (
	"slices"
	"strings"
)

// authorize asks RAM whether the caller may do what it asks for. For a call on several instances or disks each must be allowed.
func (c *call) authorize() decision {
	product := strings.ToLower(c.action.service.product())
	prefix := "acs:" + product + ":" + orDefault(c.string("RegionId"), "*") + ":" + c.key.AccountID + ":"
	asked := request{action: product + ":" + c.action.name, resource: prefix + c.action.resource() + "/*", context: c.requested()}
	subjects := c.subjects()
	if len(subjects) == 0 || c.action.reads() {
		return c.server.directory.decide(c.key, asked)
	}
	for _, each := range subjects {
		asked.resource = prefix + each.resource
		asked.context = c.requested()
		for key, value := range each.tags {
			asked.context["acs:ResourceTag/"+key] = value
			asked.context["ecs:tag/"+key] = value
		}
		asked.context[resourceGroupKey] = each.group
		if verdict := c.server.directory.decide(c.key, asked); verdict != allowed {
			return verdict
		}
	}
	return allowed
}

// subject is a resource that a call is about, as policies name it, with its tags and its resource group.
type subject struct {
	resource string
	tags     map[string]string
	group    string
}

// resourceGroupKey is the condition key of the resource group that a resource is in, or that a launch puts it into. Source: the pages "RAM
// authorization" of the products, which name it for each action that can be granted by resource group.
const resourceGroupKey = "acs:ResourceGroupId"

// subjects are the instances and disks that a call names.
func (c *call) subjects() []subject {
	var found []subject
	for _, i := range c.named() {
		found = append(found, subject{"instance/" + i.id, i.tags, i.resourceGroup})
	}
	ids := append(c.list("DiskIds"), c.string("DiskId"))
	if c.string("ResourceType") == "disk" {
		ids = append(ids, c.list("ResourceId")...)
	}
	for _, id := range ids {
		if d := c.account.disks[id]; d != nil {
			found = append(found, subject{"disk/" + id, d.tags, d.resourceGroup})
		}
	}
	return found
}

// resource is the kind of resource that an action is about, where it names none.
func (a *action) resource() string {
	name := strings.ToLower(a.name)
	for _, kind := range []string{"vswitch", "vpc", "disk", "image", "securitygroup", "keypair", "networkinterface"} {
		if strings.Contains(name, kind) {
			return kind
		}
	}
	return "instance"
}

// requested are the tags that a call sets and the resource group that it names, as condition keys.
func (c *call) requested() map[string]string {
	tags := map[string]string{}
	if c.has("ResourceGroupId") {
		tags[resourceGroupKey] = c.string("ResourceGroupId")
	}
	for n := range c.count("Tag") {
		key, value := c.string(element("Tag", n+1)+".Key"), c.string(element("Tag", n+1)+".Value")
		tags["acs:RequestTag/"+key] = value
		tags["ecs:tag/"+key] = value
	}
	return tags
}

// checkInstanceRole checks that a role can be given to an instance: it is there, it trusts ECS, and the caller may pass it on. Source:
// RunInstances page (ecs-api 2.1, RamRoleName).
func (c *call) checkInstanceRole(name string) *APIError {
	role, known := c.server.directory.role(c.key.AccountID, name)
	switch {
	case !known && !slices.Contains(c.server.options.Catalogue.RAMRoles, name):
		return refuse(404, "InvalidRamRole.NotFound", "The specified RamRoleName does not exist.")
	case known && role.trusts(trustRequest{service: ecsService}) != allowed:
		return refuse(401, "InvalidRamRole.NotEcsRole", "The specified RAM role is not authorized for ECS, please check your role policy.")
	}
	pass := request{action: "ram:PassRole", resource: roleArn(c.key.AccountID, name)}
	if c.server.directory.decide(c.key, pass) != allowed {
		return refuse(403, "InvalidUser.PassRoleForbidden", "The RAM user does not have the privilege to pass a role.")
	}
	return nil
}
