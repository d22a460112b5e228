// Package credentials finds the access key that a user of this cloud has where
// this cloud's tools look for one: the configuration, both families of
// environment variables, the command line tool's profiles, shared files, the role
// of the instance, a pod's OIDC token, a credentials URI; and the roles to assume
// with it. A source is chosen once, and what it gives is kept and renewed before
// it ends. No error shows a secret or the text of a file that may hold one.
package credentials
