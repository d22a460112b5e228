package provider

import (
	"context"
	"fmt"
	"math/big"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/attr/xattr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/types/basetypes"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

var (
	_ basetypes.Int64Typable          = wholeNumberType{}
	_ basetypes.Int64Valuable         = wholeNumber{}
	_ xattr.ValidateableAttribute     = wholeNumber{}
	_ interface{ ValueInt64() int64 } = wholeNumber{}
)

// wholeNumberType is the type of attributes that hold whole numbers. Unlike the
// framework's, it takes any number, so that one which is not whole is told of as a
// mistake of the configuration, by its name, and not as one of the provider.
type wholeNumberType struct{ basetypes.Int64Type }

// Equal implements attr.Type.
func (t wholeNumberType) Equal(other attr.Type) bool {
	_, same := other.(wholeNumberType)

	return same
}

// String implements attr.Type.
func (wholeNumberType) String() string { return "wholeNumberType" }

// ValueType implements attr.Type.
func (wholeNumberType) ValueType(context.Context) attr.Value { return wholeNumber{} }

// ValueFromInt64 implements basetypes.Int64Typable.
func (wholeNumberType) ValueFromInt64(_ context.Context, value basetypes.Int64Value) (basetypes.Int64Valuable, diag.Diagnostics) {
	return wholeNumber{Int64Value: value}, nil
}

// ValueFromTerraform implements attr.Type.
func (wholeNumberType) ValueFromTerraform(_ context.Context, in tftypes.Value) (attr.Value, error) {
	switch {
	case !in.IsKnown():
		return wholeNumber{Int64Value: basetypes.NewInt64Unknown()}, nil
	case in.IsNull():
		return wholeNumber{Int64Value: basetypes.NewInt64Null()}, nil
	}

	var number big.Float
	if err := in.As(&number); err != nil {
		return nil, err
	}

	if whole, accuracy := number.Int64(); accuracy == big.Exact {
		return wholeNumber{Int64Value: basetypes.NewInt64Value(whole)}, nil
	}

	return wholeNumber{Int64Value: basetypes.NewInt64Unknown(), refused: &number}, nil
}

// wholeNumber is a value of a wholeNumberType. One that is not whole counts as unknown
// until it has been refused.
type wholeNumber struct {
	basetypes.Int64Value

	refused *big.Float
}

// Type implements attr.Value.
func (wholeNumber) Type(context.Context) attr.Type { return wholeNumberType{} }

// Equal implements attr.Value.
func (n wholeNumber) Equal(other attr.Value) bool {
	number, same := other.(wholeNumber)
	if !same || (n.refused == nil) != (number.refused == nil) {
		return false
	}

	return n.Int64Value.Equal(number.Int64Value) && (n.refused == nil || n.refused.Cmp(number.refused) == 0)
}

// ToTerraformValue implements attr.Value.
func (n wholeNumber) ToTerraformValue(ctx context.Context) (tftypes.Value, error) {
	if n.refused != nil {
		return tftypes.NewValue(tftypes.Number, n.refused), nil
	}

	return n.Int64Value.ToTerraformValue(ctx)
}

// ValidateAttribute implements xattr.ValidateableAttribute.
func (n wholeNumber) ValidateAttribute(_ context.Context, req xattr.ValidateAttributeRequest, resp *xattr.ValidateAttributeResponse) {
	if n.refused == nil {
		return
	}

	text := n.refused.Text('g', 10)

	if n.refused.IsInt() {
		resp.Diagnostics.AddAttributeError(req.Path, "Number too large", fmt.Sprintf("%s is %s, which is far beyond what it can be. Give it a number within its bounds.", req.Path, text))

		return
	}

	resp.Diagnostics.AddAttributeError(req.Path, "Not a whole number",
		fmt.Sprintf("%s is %s, and has to be a whole number. Round it, for example with floor(...) or ceil(...).", req.Path, text))
}
