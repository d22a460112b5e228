package ecsemulator

type getCallerIdentityAnswer struct {
	AccountID    string `json:"AccountId"`
	UserID       string `json:"UserId"`
	RoleID       string `json:"RoleId,omitempty"`
	PrincipalID  string `json:"PrincipalId"`
	Arn          string
	IdentityType string
}

// getCallerIdentity needs no permission, so no "deny" rule holds for it. Source: the STS API reference (2015-04-01).
func getCallerIdentity() *action {
	return &action{actionKey: actionKey{serviceSTS, "GetCallerIdentity"}, anyRegion: true, run: func(c *call) (any, *APIError) {
		account := c.key.AccountID
		switch {
		case c.key.RoleName != "":
			id := "3" + account[:min(len(account), 15)]
			return getCallerIdentityAnswer{
				AccountID: account, RoleID: id, PrincipalID: id + ":session", IdentityType: "AssumedRoleUser", UserID: id + ":session",
				Arn: "acs:ram::" + account + ":assumed-role/" + c.key.RoleName + "/session",
			}, nil
		case c.key.UserName != "":
			id := "2" + account[:min(len(account), 15)]
			return getCallerIdentityAnswer{
				AccountID: account, UserID: id, PrincipalID: id, IdentityType: "RAMUser", Arn: "acs:ram::" + account + ":user/" + c.key.UserName,
			}, nil
		default:
			return getCallerIdentityAnswer{
				AccountID: account, UserID: account, PrincipalID: account, IdentityType: "Account", Arn: "acs:ram::" + account + ":root",
			}, nil
		}
	}}
}
