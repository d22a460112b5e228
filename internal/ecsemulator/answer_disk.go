package ecsemulator

type describeDisksAnswer struct {
	TotalCount int
	PageNumber int
	PageSize   int
	NextToken  string
	Disks      struct{ Disk []diskAnswer }
}

type diskAnswer struct {
	DiskID                        string `json:"DiskId"`
	DiskName                      string
	Description                   string
	RegionID                      string `json:"RegionId"`
	ZoneID                        string `json:"ZoneId"`
	InstanceID                    string `json:"InstanceId"`
	ImageID                       string `json:"ImageId"`
	Type                          string
	Category                      string
	PerformanceLevel              string
	Size                          int
	Status                        string
	Device                        string
	DiskChargeType                string
	DeleteWithInstance            bool
	DeleteAutoSnapshot            bool
	EnableAutoSnapshot            bool
	EnableAutomatedSnapshotPolicy bool
	AutoSnapshotPolicyID          string `json:"AutoSnapshotPolicyId"`
	Encrypted                     bool
	KMSKeyID                      string `json:"KMSKeyId"`
	Portable                      bool
	BurstingEnabled               bool
	ProvisionedIOPS               int `json:"ProvisionedIops"`
	IOPS                          int
	IOPSRead                      int
	IOPSWrite                     int
	MultiAttach                   string
	SerialNumber                  string
	SourceSnapshotID              string `json:"SourceSnapshotId"`
	ResourceGroupID               string `json:"ResourceGroupId"`
	ProductCode                   string
	CreationTime                  string
	AttachedTime                  string
	DetachedTime                  string
	ExpiredTime                   string
	Attachments                   struct{ Attachment []attachmentAnswer }
	MountInstances                struct{ MountInstance []struct{} }
	Tags                          tagList
	OperationLocks                struct{ OperationLock []struct{} }
}

type attachmentAnswer struct {
	InstanceID   string `json:"InstanceId"`
	Device       string
	AttachedTime string
}
