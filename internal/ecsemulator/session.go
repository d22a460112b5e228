package ecsemulator

import (
	"crypto/rand"
	"fmt"
	"hash/fnv"
	"regexp"
	"slices"
	"strings"
	"time"
)

// ecsService is the name under which instances assume roles.
const ecsService = "ecs.aliyuncs.com"

// principal is who a key stands for, as GetCallerIdentity tells it.
type principal struct {
	identityType string
	userID       string
	roleID       string
	principalID  string
	arn          string
	trustedArn   string // what a trust policy calls it
}

// callerOf derives ids from account and name, so that they are the same in every run.
func callerOf(key AccessKey) principal {
	account := key.AccountID
	switch {
	case key.RoleName != "":
		session, id := orDefault(key.SessionName, "session"), "3"+digits(account, strings.ToLower(key.RoleName))
		return principal{
			identityType: "AssumedRoleUser", roleID: id, principalID: id + ":" + session, userID: id + ":" + session,
			arn:        "acs:ram::" + account + ":assumed-role/" + key.RoleName + "/" + session,
			trustedArn: roleArn(account, key.RoleName),
		}
	case key.UserName != "":
		arn := "acs:ram::" + account + ":user/" + key.UserName
		id := "2" + digits(account, key.UserName)
		return principal{identityType: "RAMUser", userID: id, principalID: id, arn: arn, trustedArn: arn}
	default:
		arn := "acs:ram::" + account + ":root"
		return principal{identityType: "Account", userID: account, principalID: account, arn: arn, trustedArn: arn}
	}
}

// digits makes 17 digits out of texts.
func digits(texts ...string) string {
	hash := fnv.New64a()
	_, _ = hash.Write([]byte(strings.Join(texts, "/"))) // a hash takes all
	return fmt.Sprintf("%017d", hash.Sum64()%100_000_000_000_000_000)
}

func roleArn(accountID, name string) string {
	return "acs:ram::" + accountID + ":role/" + strings.ToLower(name)
}

// parseArn splits acs:ram::<account>:<kind>/<name>.
func parseArn(arn, kind string) (accountID, name string, ok bool) {
	rest, found := strings.CutPrefix(arn, "acs:ram::")
	accountID, rest, split := strings.Cut(rest, ":")
	name, fitting := strings.CutPrefix(rest, kind+"/")
	return accountID, name, found && split && fitting && accountID != "" && name != "" && !strings.ContainsAny(name, "/: ")
}

// trustRequest is who wants to assume a role: a principal of RAM, a service, or a subject of an identity provider.
type trustRequest struct {
	arn, accountID string
	service        string
	federated      string
	context        map[string]string
}

// trusts asks the trust policy of the role. An account's root in it stands for all users and roles of the account.
func (r Role) trusts(who trustRequest) decision {
	fitting := Policy{}
	for _, statement := range r.TrustPolicy.Statement {
		p := statement.Principal
		if fitsPrincipal(p.RAM, who.arn) || who.accountID != "" && slices.Contains(p.RAM, "acs:ram::"+who.accountID+":root") ||
			fitsPrincipal(p.Service, who.service) || fitsPrincipal(p.Federated, who.federated) {
			fitting.Statement = append(fitting.Statement, statement)
		}
	}
	return decide([]Policy{fitting}, request{action: "sts:AssumeRole", context: who.context})
}

func fitsPrincipal(patterns []string, value string) bool {
	return value != "" && fitsAny(patterns, value)
}

// assumedRoleAnswer is what the actions that assume a role have in common.
type assumedRoleAnswer struct {
	AssumedRoleUser assumedRoleUser
	Credentials     sessionCredentials
}

type assumedRoleUser struct {
	Arn           string
	AssumedRoleID string `json:"AssumedRoleId"`
}

type sessionCredentials struct {
	AccessKeyID     string `json:"AccessKeyId"`
	AccessKeySecret string
	SecurityToken   string
	Expiration      string
}

var sessionNamePattern = regexp.MustCompile(`^[a-zA-Z0-9.@_-]{2,64}$`)

// sessionPlan is what the parameters of an action that assumes a role ask for.
type sessionPlan struct {
	accountID, roleName, sessionName string
	duration                         time.Duration
	policy                           *Policy
}

// checkSession reads the parameters that the actions that assume a role share. Source: the pages of AssumeRole and AssumeRoleWithOIDC.
func (c *call) checkSession() (sessionPlan, *APIError) {
	plan := sessionPlan{sessionName: c.string("RoleSessionName")}
	var ok bool
	plan.accountID, plan.roleName, ok = parseArn(c.string("RoleArn"), "role")
	switch {
	case !c.has("RoleArn"):
		return plan, refuse(400, "MissingRoleArn", "RoleArn is mandatory for this action.")
	case !c.has("RoleSessionName"):
		return plan, refuse(400, "MissingRoleSessionName", "RoleSessionName is mandatory for this action.")
	case !ok:
		return plan, refuse(400, "InvalidParameter.RoleArn", "The parameter RoleArn is wrongly formed.")
	case !sessionNamePattern.MatchString(plan.sessionName):
		return plan, refuse(400, "InvalidParameter.RoleSessionName", "The parameter RoleSessionName is wrongly formed.")
	}
	if text := c.string("Policy"); text != "" {
		policy, err := ParsePolicy(text)
		if err != nil {
			return plan, refuse(400, "InvalidParameter.PolicyGrammar", "The parameter Policy has not passed grammar check.")
		}
		plan.policy = &policy
	}
	longest := 3600
	if role, known := c.server.directory.role(plan.accountID, plan.roleName); known {
		longest = role.MaxSessionSeconds
	}
	length := c.integer("DurationSeconds", min(3600, longest))
	if length < 900 || length > longest {
		return plan, refuse(400, "InvalidParameter.DurationSeconds", "The Min/Max value of DurationSeconds is 15min/%dmin.", longest/60)
	}
	plan.duration = time.Duration(length) * time.Second
	return plan, nil
}

// openSession makes the temporary key of a session. It ends by the wall clock, like the timestamps of signatures: the clients that
// renew it know no other.
func (s *Server) openSession(plan sessionPlan) AccessKey {
	key := AccessKey{
		ID: "STS.NT" + rand.Text()[:24], Secret: rand.Text() + rand.Text()[:18], SecurityToken: "CAIS" + rand.Text() + rand.Text() + rand.Text(),
		Expires: time.Now().Add(plan.duration).UTC().Truncate(time.Second), AccountID: plan.accountID, RoleName: plan.roleName,
		SessionName: plan.sessionName, SessionPolicy: plan.policy,
	}
	s.directory.setKey(key, time.Now())
	s.touch()
	return key
}

func answerSession(key AccessKey) assumedRoleAnswer {
	who := callerOf(key)
	return assumedRoleAnswer{
		AssumedRoleUser: assumedRoleUser{
			Arn: "acs:ram::" + key.AccountID + ":role/" + strings.ToLower(key.RoleName) + "/" + key.SessionName, AssumedRoleID: who.principalID,
		},
		Credentials: sessionCredentials{
			AccessKeyID: key.ID, AccessKeySecret: key.Secret, SecurityToken: key.SecurityToken, Expiration: key.Expires.Format(secondLayout),
		},
	}
}
