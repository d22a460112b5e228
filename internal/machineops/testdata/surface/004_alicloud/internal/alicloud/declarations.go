// Package alicloud lists what the document on the Alibaba Cloud machine driver
// exports.
package alicloud

import (
	"context"

	"github.com/terraform-machine/terraform-provider-machine/internal/alicloud/spi"
	"github.com/terraform-machine/terraform-provider-machine/internal/driver"
)

const (
	ProviderAlicloud = "Alicloud"
)

func NewAlicloudPlugin(pluginSPI spi.PluginSPI) driver.Driver

//surface:implements MachinePlugin github.com/terraform-machine/terraform-provider-machine/internal/driver.Driver
//surface:implements MachinePlugin github.com/terraform-machine/terraform-provider-machine/internal/alicloud/spi.PluginSPI

type MachinePlugin struct {
	SPI spi.PluginSPI
}

func (plugin *MachinePlugin) CreateMachine(ctx context.Context, req *driver.CreateMachineRequest) (*driver.CreateMachineResponse, error)

func (plugin *MachinePlugin) DeleteMachine(ctx context.Context, req *driver.DeleteMachineRequest) (*driver.DeleteMachineResponse, error)

func (plugin *MachinePlugin) GetMachineStatus(ctx context.Context, req *driver.GetMachineStatusRequest) (*driver.GetMachineStatusResponse, error)

func (plugin *MachinePlugin) GetVolumeIDs(ctx context.Context, req *driver.GetVolumeIDsRequest) (*driver.GetVolumeIDsResponse, error)

func (plugin *MachinePlugin) InitializeMachine(_ context.Context, _ *driver.InitializeMachineRequest) (*driver.InitializeMachineResponse, error)

func (plugin *MachinePlugin) ListMachines(ctx context.Context, req *driver.ListMachinesRequest) (*driver.ListMachinesResponse, error)
