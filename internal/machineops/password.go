package machineops

import "context"

// passwordKey is where a password stands in a context.
type passwordKey struct{}

// WithPassword returns a context under which HostAllocate gives the host this password
// of its administrator. It is as secret as AllocationRequest.UserData, and travels with
// the context, since the request has no place for it: no registration has to know it,
// and nothing that prints or records a request comes across it.
func WithPassword(ctx context.Context, password string) context.Context {
	if password == "" {
		return ctx
	}

	return context.WithValue(ctx, passwordKey{}, password)
}

// PasswordFrom returns the password, empty where there is none.
func PasswordFrom(ctx context.Context) string {
	password, _ := ctx.Value(passwordKey{}).(string)

	return password
}
