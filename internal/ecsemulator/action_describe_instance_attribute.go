package ecsemulator

const describeInstanceAttributeParameters = `
string: InstanceId
`

// describeInstanceAttributeAnswer is one instance at the top level, told in less detail than by DescribeInstances.
type describeInstanceAttributeAnswer struct {
	InstanceID              string `json:"InstanceId"`
	InstanceName            string
	HostName                string
	Description             string
	Status                  string
	StoppedMode             string
	RegionID                string `json:"RegionId"`
	ZoneID                  string `json:"ZoneId"`
	ClusterID               string `json:"ClusterId"`
	InstanceType            string
	CPU                     int    `json:"Cpu"`
	Memory                  int    // MiB
	ImageID                 string `json:"ImageId"`
	InstanceChargeType      string
	InternetChargeType      string
	InternetMaxBandwidthIn  int
	InternetMaxBandwidthOut int
	InstanceNetworkType     string
	VlanID                  string `json:"VlanId"`
	IoOptimized             string // a word here, a boolean in DescribeInstances
	SerialNumber            string
	CreationTime            string
	ExpiredTime             string
	CreditSpecification     string
	EnableJumboFrame        bool
	VpcAttributes           vpcAttributes
	PublicIPAddress         addressList  `json:"PublicIpAddress"`
	InnerIPAddress          addressList  `json:"InnerIpAddress"`
	EIPAddress              attributeEIP `json:"EipAddress"`
	SecurityGroupIDs        groupIDList  `json:"SecurityGroupIds"`
	OperationLocks          lockList
	DedicatedHostAttribute  dedicatedHost
}

type attributeEIP struct {
	IPAddress          string `json:"IpAddress"`
	AllocationID       string `json:"AllocationId"`
	InternetChargeType string
	Bandwidth          int
}

func describeInstanceAttribute() *action {
	a := ecsAction("DescribeInstanceAttribute", describeInstanceAttributeParameters, func(c *call) (any, *APIError) {
		i, refusal := c.instance()
		if refusal != nil {
			return nil, refusal
		}
		whole := c.answerInstance(i, nil)
		return describeInstanceAttributeAnswer{
			InstanceID: whole.InstanceID, InstanceName: whole.InstanceName, HostName: whole.HostName, Description: whole.Description,
			Status: whole.Status, StoppedMode: whole.StoppedMode, RegionID: whole.RegionID, ZoneID: whole.ZoneID,
			InstanceType: whole.InstanceType, CPU: whole.CPU, Memory: whole.Memory, ImageID: whole.ImageID,
			InstanceChargeType: whole.InstanceChargeType, InternetChargeType: whole.InternetChargeType,
			InternetMaxBandwidthIn: whole.InternetMaxBandwidthIn, InternetMaxBandwidthOut: whole.InternetMaxBandwidthOut,
			InstanceNetworkType: whole.InstanceNetworkType, IoOptimized: "optimized", SerialNumber: whole.SerialNumber,
			CreationTime: whole.CreationTime, ExpiredTime: whole.ExpiredTime, CreditSpecification: whole.CreditSpecification,
			VpcAttributes: whole.VpcAttributes, PublicIPAddress: whole.PublicIPAddress, InnerIPAddress: whole.InnerIPAddress,
			SecurityGroupIDs: whole.SecurityGroupIDs, OperationLocks: whole.OperationLocks,
		}, nil
	})
	a.anyRegion = true
	return a
}
