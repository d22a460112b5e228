package alicloud

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/clock"

	"github.com/terraform-machine/terraform-provider-machine/internal/alicloud/ecs"
	"github.com/terraform-machine/terraform-provider-machine/internal/machineops"
	"github.com/terraform-machine/terraform-provider-machine/internal/machineops/v1alpha3"
)

// offeringLifetime is how long a resolution is believed: stock moves.
const offeringLifetime = 10 * time.Minute

// resolver finds out what classes can get. It keeps what all classes of the process
// share, and launches nothing.
type resolver struct {
	plugin *MachinePlugin
	clock  clock.PassiveClock
	logger *slog.Logger
	types  *typeCatalogue
	prices *priceBook

	references *references
}

func newResolver(plugin *MachinePlugin, c clock.PassiveClock, logger *slog.Logger) *resolver {
	if logger == nil {
		logger = slog.New(slog.DiscardHandler)
	}

	return &resolver{
		plugin: plugin, clock: c, logger: logger, types: newTypeCatalogue(c), prices: newPriceBook(c, logger), references: newReferences(c, logger),
	}
}

// resolve checks what the class names and finds the ways to get a machine of it, with
// prices where they are wanted or decide the order.
func (r *resolver) resolve(ctx context.Context, spec *ClassSpec, secret *corev1.Secret, prices bool) (*classResolution, error) {
	client, err := r.plugin.NewECSClient(secret, spec.Region)
	if err != nil {
		return nil, operationError(err)
	}

	found := &classResolution{
		resolver: r, client: client, spec: spec,
		validUntil: metav1.NewTime(r.clock.Now().Add(offeringLifetime)),
		types:      map[string]ecs.InstanceType{},
	}

	if err := found.lookUp(ctx); err != nil {
		return nil, err
	}

	steps := []func(context.Context) error{found.loadStock}
	if prices || spec.TypeOrder == typeOrderCheapest {
		steps = append(steps, found.loadPrices)
	}

	for _, step := range steps {
		if err := step(ctx); err != nil {
			return nil, err
		}
	}

	found.makeOfferings()
	found.log(ctx)

	if err := found.checkLaunch(ctx); err != nil {
		return nil, err
	}

	return found, nil
}

// lookUp finds all that the class names. What is missing or does not fit is told
// together: a plan for each mistake would be a long way.
func (c *classResolution) lookUp(ctx context.Context) error {
	var wrong mistakes

	for _, look := range []func(context.Context) error{
		c.loadVSwitches, c.loadSecurityGroups, c.loadImage, c.checkKeyPair, c.checkDeploymentSet, c.checkSnapshots, c.loadTypes,
	} {
		if err := wrong.take(look(ctx)); err != nil {
			return err
		}
	}

	return wrong.err()
}

// classResolution is what the cloud says of one class.
type classResolution struct {
	*resolver

	client    *ecs.Client
	spec      *ClassSpec
	vswitches []ecs.VSwitch
	image     ecs.Image
	// candidates are the IDs of the types, in the order in which they are tried, and
	// types what is known of them.
	candidates []string
	types      map[string]ecs.InstanceType
	stock      map[v1alpha3.CapacityType]map[place]ecs.ZoneStock
	priced     bool
	validUntil metav1.Time
	exclusions exclusions
	offerings  []v1alpha3.MachineClassOffering
}

// place is one type in one zone.
type place struct{ zone, instanceType string }

// resolveClass checks what the class names and returns the ways to launch it. It
// launches nothing.
func (r *registration) resolveClass(ctx context.Context, request machineops.ClassRequest) (machineops.ClassResolution, error) {
	spec, err := decodeClass(request.ProviderConfig)
	if err != nil {
		return machineops.ClassResolution{}, err
	}

	found, err := r.resolver.resolve(ctx, spec, secretOf(request.Auth), false)
	if err != nil {
		return machineops.ClassResolution{}, err
	}

	if len(found.offerings) == 0 {
		return machineops.ClassResolution{}, found.nothingLeft()
	}

	return machineops.ClassResolution{Offerings: found.offerings}, nil
}

// nothingLeft is the error of a class without offerings.
func (c *classResolution) nothingLeft() error {
	return invalid(fmt.Errorf("%s, vswitch_ids, capacity_types: nothing is left that a machine of this class could be launched as (%s):%s",
		c.spec.typesField(), strings.Join(c.spec.CapacityTypes, ", "), c.exclusions.text()))
}

// typesField is the argument that says which types a machine may be of.
func (s *ClassSpec) typesField() string {
	if s.Requirements != nil {
		return "requirements"
	}

	return "instance_types"
}

// log tells what was found; the reasons for what was left out are for who wonders.
func (c *classResolution) log(ctx context.Context) {
	c.logger.DebugContext(ctx, "a class was resolved", "region", c.spec.Region, "instance_types", len(c.candidates), "zones", len(c.zones()), "offerings", len(c.offerings))

	for _, line := range c.exclusions.lines() {
		c.logger.DebugContext(ctx, "left out of a class: "+line)
	}
}

func (c *classResolution) zones() []string {
	var zones []string

	for _, vswitch := range c.vswitches {
		if !slices.Contains(zones, vswitch.Zone) {
			zones = append(zones, vswitch.Zone)
		}
	}

	return zones
}

// missing is the mistake of naming what there is not.
func (c *classResolution) missing(field, kind, id string) error {
	return fmt.Errorf("%s: there is no %s %q in the region %s (or the credentials may not see it)", field, kind, id, c.spec.Region)
}

// callError adds what a user has to look at where the region itself is wrong.
func (c *classResolution) callError(doing string, err error) error {
	var coded *ecs.Error
	if errors.As(err, &coded) && strings.HasPrefix(coded.Code, "InvalidRegionId") {
		return invalid(fmt.Errorf("region: %q is not a region of Alibaba Cloud; correct alicloud.region: %w", c.spec.Region, err))
	}

	err = operationError(fmt.Errorf("%s in %s: %w", doing, c.spec.Region, err))

	// A look-up asks for no capacity: what it is refused for is the class.
	var permanent *machineops.PermanentError
	if errors.As(err, &permanent) && ecs.ClassOf(err) == ecs.ClassCapacity {
		return invalid(permanent.Err)
	}

	return err
}
