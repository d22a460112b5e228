package machineops

import "context"

type lostAnswerKey struct{}

// WithLostAnswerReport returns a context in which ReportLostAnswer calls report.
// Report must be safe for concurrent use.
func WithLostAnswerReport(ctx context.Context, report func()) context.Context {
	return context.WithValue(ctx, lostAnswerKey{}, report)
}

// ReportLostAnswer is for Begin callbacks that repeat a request by themselves: it
// tells the caller that an attempt may have had its effect without an answer that
// says so, however the repetition ended.
func ReportLostAnswer(ctx context.Context) {
	if report, ok := ctx.Value(lostAnswerKey{}).(func()); ok {
		report()
	}
}
