package ecsemulator

import "slices"

const assumeRoleParameters = `
string: RoleArn RoleSessionName ExternalId SourceIdentity
integer: DurationSeconds
string 2048: Policy
`

func stsNoPermission() *APIError {
	return refuse(403, "NoPermission", "You are not authorized to do this action. You should be authorized by RAM.")
}

// assumeRole opens a session of a role. Source: the AssumeRole page: the account itself may not assume a role; a user or role needs
// sts:AssumeRole for it, and the role's trust.
func assumeRole() *action {
	return &action{
		actionKey: actionKey{serviceSTS, "AssumeRole"}, declares: assumeRoleParameters, anyRegion: true,
		run: func(c *call) (any, *APIError) {
			plan, refusal := c.checkSession()
			if refusal != nil {
				return nil, refusal
			}
			who := callerOf(c.key)
			if who.identityType == "Account" {
				return nil, refuse(403, "NoPermission", "Roles may not be assumed by root accounts.")
			}
			role, known := c.server.directory.role(plan.accountID, plan.roleName)
			if !known && slices.Contains(c.server.options.Catalogue.RAMRoles, plan.roleName) {
				return nil, stsNoPermission() // it trusts ECS alone
			}
			if !known {
				return nil, refuse(404, "EntityNotExist.Role", "The specified Role not exists.")
			}
			asked := request{action: "sts:AssumeRole", resource: roleArn(plan.accountID, plan.roleName)}
			if c.server.directory.decide(c.key, asked) != allowed {
				return nil, stsNoPermission()
			}
			trusted := trustRequest{arn: who.trustedArn, accountID: c.key.AccountID, context: map[string]string{}}
			if c.has("ExternalId") {
				trusted.context["sts:ExternalId"] = c.string("ExternalId")
			}
			if role.trusts(trusted) != allowed {
				return nil, stsNoPermission()
			}
			plan.roleName = role.Name
			return answerSession(c.server.openSession(plan)), nil
		},
	}
}
