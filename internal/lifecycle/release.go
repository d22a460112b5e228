package lifecycle

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/types"

	"github.com/terraform-machine/terraform-provider-machine/internal/machineops"
	"github.com/terraform-machine/terraform-provider-machine/internal/machineops/v1alpha3"
)

// ReleaseRequest asks to give a host back.
type ReleaseRequest struct {
	Identity Identity
	// ProviderID names the host; empty where none was ever known.
	ProviderID string
	// OwnedResources are what may be given back, and nothing else.
	OwnedResources []v1alpha3.ProviderOwnedResource
	// Claim is what the machine must carry. A machine under another claim is
	// somebody's and is left alone.
	Claim string
	// Grace is how long a stop may take before the release; 0 releases without one.
	Grace time.Duration
	// RetainDisks has the host's data disks outlive it: where that cannot be made sure
	// of, nothing is released. ReportDisks has the message of the outcome tell which do
	// so anyway, which RetainDisks does, too.
	RetainDisks, ReportDisks bool

	Pending  *PendingOperation
	Recorder Recorder
}

// Release gives the owned resources of an allocation back and returns when their
// absence is proven. It returns a *FailedError of reason Taken, and has touched
// nothing, where the machine carries another's claim; any other *FailedError where
// the provider refuses for good; an *UnfinishedError where the wait ended first.
func (a *Allocator) Release(ctx context.Context, request ReleaseRequest) (Outcome, error) {
	parameters := map[string]string{
		v1alpha3.ParameterOwner: request.Identity.Owner,
		v1alpha3.ParameterClaim: request.Claim,
	}
	if request.Grace > 0 {
		parameters[v1alpha3.ParameterGracefulRelease] = request.Grace.String()
	}

	if request.RetainDisks {
		parameters[v1alpha3.ParameterRetainDisks] = "true"
	}

	if request.ReportDisks {
		parameters[v1alpha3.ParameterReportDisks] = "true"
	}

	outcome, err := a.runner.Run(ctx, Run{
		Request: machineops.OperationRequest{
			MachineName:   request.Identity.Name,
			MachineUID:    request.Identity.UID(),
			OperationName: string(v1alpha3.OperationHostRelease),
			OperationUID:  types.UID(a.options.NewID()),
			ProviderID:    request.ProviderID,
			Operation:     v1alpha3.OperationHostRelease,
			Parameters:    parameters,
			Allocation: &machineops.AllocationRequest{
				Name:           request.Identity.Name,
				UID:            request.Identity.UID(),
				ClassUID:       request.Identity.ClassUID,
				OwnedResources: request.OwnedResources,
			},
		},
		Pending:  request.Pending,
		Recorder: request.Recorder,
	})
	if err != nil {
		return outcome, err
	}

	a.noteReleased(request.Identity, request.ProviderID, request.Claim)

	return outcome, nil
}

// releaseLeftBehind gives back what a failed launch reports as owned. It returns
// nil where nothing is left. Otherwise the allocation names what is, and the error
// is the launch's, with what became of the release.
func (l *launch) releaseLeftBehind(ctx context.Context, offering v1alpha3.MachineClassOffering, outcome Outcome, claim string, failed *FailedError) error {
	allocation := outcome.Result.Allocation
	if allocation == nil || len(allocation.OwnedResources) == 0 {
		return nil
	}

	_, err := l.allocator.Release(ctx, ReleaseRequest{
		Identity:       l.request.Identity,
		ProviderID:     outcome.Result.ProviderID,
		OwnedResources: allocation.OwnedResources,
		Claim:          claim,
	})
	if err == nil {
		return nil
	}

	l.allocated.Offering = offering
	l.allocated.ProviderID = outcome.Result.ProviderID
	l.allocated.Result = *allocation
	l.allocated.Claim = claim

	names := make([]string, 0, len(allocation.OwnedResources))
	for _, owned := range allocation.OwnedResources {
		names = append(names, fmt.Sprintf("%s %s in %s", owned.Kind, owned.ID, owned.Region))
	}

	return &FailedError{
		Reason:  failed.Reason,
		Message: fmt.Sprintf("%s. It left behind, and it was not possible to release: %s (%v)", failed.Error(), strings.Join(names, ", "), err),
		Err:     errors.Join(failed, err),
	}
}

// onlyHost reports whether nothing but the host itself is known to be owned.
func onlyHost(result machineops.OperationResult) bool {
	if result.Allocation == nil {
		return true
	}

	return !slices.ContainsFunc(result.Allocation.OwnedResources, func(owned v1alpha3.ProviderOwnedResource) bool {
		return owned.Kind != v1alpha3.OwnedResourceInstance || owned.ID != result.Allocation.ProviderResourceID
	})
}
