package ecsemulator

type getCallerIdentityAnswer struct {
	AccountID    string `json:"AccountId"`
	UserID       string `json:"UserId"`
	RoleID       string `json:"RoleId,omitempty"`
	PrincipalID  string `json:"PrincipalId"`
	Arn          string
	IdentityType string
}

// getCallerIdentity needs no permission, so no "deny" rule and no policy holds for it. Source: the STS API reference (2015-04-01).
func getCallerIdentity() *action {
	return &action{actionKey: actionKey{serviceSTS, "GetCallerIdentity"}, anyRegion: true, run: func(c *call) (any, *APIError) {
		who := callerOf(c.key)
		return getCallerIdentityAnswer{
			AccountID: c.key.AccountID, UserID: who.userID, RoleID: who.roleID, PrincipalID: who.principalID, Arn: who.arn,
			IdentityType: who.identityType,
		}, nil
	}}
}
