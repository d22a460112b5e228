package alicloud_test

import (
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/terraform-machine/terraform-provider-machine/internal/driver"
	"github.com/terraform-machine/terraform-provider-machine/internal/ecsemulator"
	"github.com/terraform-machine/terraform-provider-machine/internal/machineops/v1alpha3"
)

// unmet asks which of the requirements the type does not meet.
func (b *bench) unmet(ctx context.Context, t *testing.T, requirements map[string]any, instanceType string) ([]string, error) {
	t.Helper()

	config := class(t, func(c map[string]any) {
		if requirements != nil {
			delete(c, "instance_types")
			c["requirements"] = requirements
		}
	})

	return b.cloud.OfferingLister().UnmetRequirements(ctx, &driver.UnmetRequirementsRequest{
		ProviderConfig: config.Data, InstanceType: instanceType, Secret: b.secret(),
	})
}

func atLeast(number float64) map[string]any { return map[string]any{"min": number} }

func TestUnmetRequirementsAreNamed(t *testing.T) {
	t.Parallel()

	b := newBench(t, settled())

	for name, test := range map[string]struct {
		requirements map[string]any
		instanceType string
		want         []string
	}{
		"met":                     {map[string]any{"vcpus": atLeast(2), "memory_gib": atLeast(8)}, "ecs.g7.large", nil},
		"too small":               {map[string]any{"vcpus": atLeast(4), "memory_gib": atLeast(8.5)}, "ecs.g7.large", []string{"vcpus", "memory_gib"}},
		"another family":          {map[string]any{"families": []string{"ecs.g6"}}, "ecs.g7.large", []string{"families"}},
		"left out by name":        {map[string]any{"vcpus": atLeast(2), "exclude_instance_types": []string{"ecs.g7.large"}}, "ecs.g7.large", []string{"exclude_instance_types"}},
		"another processor":       {map[string]any{"vcpus": atLeast(2), "architecture": "arm64"}, "ecs.g7.large", []string{"architecture"}},
		"burstable, not wanted":   {map[string]any{"vcpus": atLeast(2)}, "ecs.t6-c1m4.large", []string{"burstable"}},
		"burstable, all the same": {map[string]any{"vcpus": atLeast(2), "burstable": "include"}, "ecs.t6-c1m4.large", nil},
		"the model in lower case": {map[string]any{"gpu_models": []string{"nvidia v100"}}, "ecs.gn6v-c8g1.2xlarge", nil},
		// What the machine runs does not depend on what the class would launch now.
		"the image of another processor": {map[string]any{"vcpus": atLeast(2)}, "ecs.g8y.large", nil},
	} {
		got, err := b.unmet(t.Context(), t, test.requirements, test.instanceType)
		if err != nil || !slices.Equal(got, test.want) {
			t.Errorf("%s: %q, %v, want %q", name, got, err, test.want)
		}
	}
}

func TestUnmetRequirementsTakeOneCallAndNoneWithoutRequirements(t *testing.T) {
	t.Parallel()

	b := newBench(t, settled())
	ask := func(requirements map[string]any) map[string]int {
		return b.counted(func() {
			if _, err := b.unmet(t.Context(), t, requirements, "ecs.g7.large"); err != nil {
				t.Error(err)
			}
		})
	}

	if counts := ask(nil); len(counts) != 0 {
		t.Errorf("a class without requirements took the calls %v", counts)
	}

	if counts := ask(map[string]any{"vcpus": atLeast(2)}); len(counts) != 1 || counts["DescribeInstanceTypes"] != 1 {
		t.Errorf("the first question took the calls %v", counts)
	}

	if counts := ask(map[string]any{"vcpus": atLeast(4)}); len(counts) != 0 {
		t.Errorf("the second question took the calls %v", counts)
	}
}

// What is not known is an error, never an answer that costs a machine.
func TestUnmetRequirementsThatCannotBeToldAreAnError(t *testing.T) {
	t.Parallel()

	b := newBench(t, settled())
	wants := map[string]any{"vcpus": atLeast(2)}

	if got, err := b.unmet(t.Context(), t, wants, "ecs.withdrawn.large"); driver.CodeOf(err) != driver.CodeNotFound {
		t.Errorf("of a type that the catalogue does not have: %q, %v", got, err)
	}

	if got, err := b.unmet(t.Context(), t, wants, ""); driver.CodeOf(err) != driver.CodeInvalidArgument {
		t.Errorf("of no type: %q, %v", got, err)
	}

	ended, cancel := context.WithCancel(t.Context())
	cancel()

	if got, err := b.unmet(ended, t, wants, "ecs.g6.large"); !errors.Is(err, context.Canceled) {
		t.Errorf("after the end: %q, %v", got, err)
	}

	b.rule(t, ecsemulator.Rule{Kind: ecsemulator.RuleDeny, Action: "DescribeInstanceTypes"})

	_, err := b.unmet(t.Context(), t, wants, "ecs.r7.large")
	wantPermanent(t, err, v1alpha3.ReasonPermissionDenied, "DescribeInstanceTypes", "Forbidden.RAM")
}

func TestWhatIsLeftOutAndNotThereIsNamed(t *testing.T) {
	t.Parallel()

	b := newBench(t, settled())

	for name, test := range map[string]struct {
		wants object
		want  []string
		calls int
	}{
		"nothing left out": {object{"vcpus": upTo(2)}, nil, 0},
		"what there is":    {object{"exclude_families": []string{"ecs.g6"}, "exclude_instance_types": []string{"ecs.g7.large"}}, nil, 2},
		"what there is not": {
			object{"exclude_families": []string{"ecs.g6", "ecs.gg7"}, "exclude_instance_types": []string{"ecs.g7.larg"}},
			[]string{`requirements.exclude_families "ecs.gg7"`, `requirements.exclude_instance_types "ecs.g7.larg"`},
			2,
		},
	} {
		t.Run(name, func(t *testing.T) {
			b.cloud = b.process(t)

			counts := b.counted(func() {
				got, err := b.cloud.OfferingLister().UnknownExclusions(t.Context(), &driver.ClassRequest{
					ProviderConfig: class(t, requirements(test.wants)).Data, Secret: b.secret(),
				})
				if err != nil || !slices.Equal(got, test.want) {
					t.Errorf("named are %q, %v, want %q", got, err, test.want)
				}
			})

			if counts["DescribeInstanceTypes"] != test.calls {
				t.Errorf("it took %v", counts)
			}
		})
	}
}
