package provider

import (
	"context"
	"log/slog"

	"github.com/hashicorp/terraform-plugin-log/tflog"
)

// logHandler hands what the packages below log to Terraform's log. What they log
// holds no secret; the tests grep for one.
type logHandler struct {
	attributes []slog.Attr
}

// Enabled implements slog.Handler. Terraform's own level decides.
func (h logHandler) Enabled(context.Context, slog.Level) bool { return true }

// Handle implements slog.Handler.
func (h logHandler) Handle(ctx context.Context, record slog.Record) error {
	fields := map[string]any{}

	for _, attribute := range h.attributes {
		fields[attribute.Key] = attribute.Value.String()
	}

	record.Attrs(func(attribute slog.Attr) bool {
		fields[attribute.Key] = attribute.Value.String()

		return true
	})

	switch {
	case record.Level >= slog.LevelError:
		tflog.Error(ctx, record.Message, fields)
	case record.Level >= slog.LevelWarn:
		tflog.Warn(ctx, record.Message, fields)
	case record.Level >= slog.LevelInfo:
		tflog.Info(ctx, record.Message, fields)
	default:
		tflog.Debug(ctx, record.Message, fields)
	}

	return nil
}

// WithAttrs implements slog.Handler.
func (h logHandler) WithAttrs(attributes []slog.Attr) slog.Handler {
	return logHandler{attributes: append(append([]slog.Attr{}, h.attributes...), attributes...)}
}

// WithGroup implements slog.Handler. Groups are not used below.
func (h logHandler) WithGroup(string) slog.Handler { return h }
