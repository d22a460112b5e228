package ecsemulator

const startInstancesParameters = `
string: BatchOptimization InstanceId.N
boolean: DryRun
`

const stopInstancesParameters = `
string: BatchOptimization InstanceId.N StoppedMode
boolean: DryRun ForceStop
`

const rebootInstancesParameters = `
string: BatchOptimization InstanceId.N
boolean: DryRun ForceReboot
`

// maxBatch is how many instances one batch call takes.
const maxBatch = 100

type powerBatchAnswer struct {
	InstanceResponses struct{ InstanceResponse []instanceResponse }
}

type instanceResponse struct {
	InstanceID     string `json:"InstanceId"`
	Code           string
	Message        string
	PreviousStatus string
	CurrentStatus  string
}

func startInstances() *action {
	return powerBatch("StartInstances", startInstancesParameters, startChange())
}

func stopInstances() *action {
	return powerBatch("StopInstances", stopInstancesParameters, stopChange())
}

func rebootInstances() *action {
	return powerBatch("RebootInstances", rebootInstancesParameters, rebootChange())
}

// powerBatch switches many instances. AllTogether refuses the whole call for one instance that cannot be switched; SuccessFirst
// switches those that can be, and tells of each what came of it.
func powerBatch(name, declares string, change powerChange) *action {
	return ecsAction(name, declares, func(c *call) (any, *APIError) {
		mode := orDefault(c.string("BatchOptimization"), "AllTogether")
		ids := c.list("InstanceId")
		switch {
		case !oneOf(mode, "AllTogether", "SuccessFirst"):
			return nil, invalidParameter("BatchOptimization")
		case len(ids) == 0:
			return nil, missingParameter("InstanceId")
		case len(ids) > maxBatch:
			return nil, refuse(403, "InvalidParameter.TooManyInstanceIds", "The number of instance ids exceeds %d.", maxBatch)
		}
		refusals := make([]*APIError, len(ids))
		for n, id := range ids {
			refusals[n] = c.checkPower(id, change)
			if refusals[n] != nil && mode == "AllTogether" {
				return nil, refusals[n]
			}
		}
		if c.boolean("DryRun", false) {
			return nil, refuse(400, "DRYRUN.SUCCESS", "Request validation has been passed with DryRun flag set.")
		}
		answer := powerBatchAnswer{}
		answer.InstanceResponses.InstanceResponse = []instanceResponse{}
		for n, id := range ids {
			answer.InstanceResponses.InstanceResponse = append(answer.InstanceResponses.InstanceResponse, c.switchOne(id, change, refusals[n]))
		}
		return answer, nil
	})
}

func (c *call) checkPower(id string, change powerChange) *APIError {
	i, found := c.find(id)
	if !found {
		return instanceNotFound()
	}
	return change.allowed(c, i)
}

func (c *call) switchOne(id string, change powerChange, refusal *APIError) instanceResponse {
	i, found := c.find(id)
	if !found {
		return instanceResponse{InstanceID: id, Code: refusal.Code, Message: refusal.Message}
	}
	status := i.status(c.now)
	response := instanceResponse{InstanceID: id, Code: "200", Message: "success", PreviousStatus: status, CurrentStatus: change.to}
	switch {
	case refusal != nil:
		response.Code, response.Message, response.CurrentStatus = refusal.Code, refusal.Message, status
	case status == change.from || change.also != nil && change.also(c, status): // an id that is given twice has left that status the first time
		change.effect(c, i)
	}
	return response
}

func instanceNotFound() *APIError {
	return refuse(404, "InvalidInstanceId.NotFound", "The specified InstanceId does not exist.")
}
