package ecsemulator_test

import (
	"fmt"
	"slices"
	"strconv"
	"testing"

	"github.com/terraform-machine/terraform-provider-machine/internal/ecsemulator"
)

// Every list that grows with the number of instances is whole over its pages, in either way of paging, without an item twice. Source:
// the pages of the actions, and ecs-api 2.2, 2.3, 2.19 to 2.21.
func TestListsOverAThousandAreWhole(t *testing.T) {
	t.Parallel()
	server := still(t, ecsemulator.Options{})
	const count = 1005
	fleet(t, server, count)
	for action, row := range map[string]struct {
		list     []any
		key      string
		own      values
		mostSize string // the largest PageSize
		token    bool
	}{
		"DescribeInstances":                     {list: []any{"Instances", "Instance"}, key: "InstanceId", mostSize: "100", token: true},
		"DescribeInstanceStatus":                {list: []any{"InstanceStatuses", "InstanceStatus"}, key: "InstanceId", mostSize: "50"},
		"DescribeDisks":                         {list: []any{"Disks", "Disk"}, key: "DiskId", mostSize: "100", token: true},
		"DescribeNetworkInterfaces":             {list: []any{"NetworkInterfaceSets", "NetworkInterfaceSet"}, key: "NetworkInterfaceId", mostSize: "100", token: true},
		"DescribeInstanceMaintenanceAttributes": {list: []any{"MaintenanceAttributes", "MaintenanceAttribute"}, key: "InstanceId", mostSize: "100"},
	} {
		t.Run(action, func(t *testing.T) {
			t.Parallel()
			c := newClient(t, server)
			pages := map[string]func(page int, last reply) (values, bool){
				"by number": func(page int, last reply) (values, bool) {
					return values{"PageNumber": strconv.Itoa(page), "PageSize": row.mostSize}, page == 1 || len(last.list(t, row.list...)) > 0
				},
			}
			if row.token {
				pages["by token"] = func(page int, last reply) (values, bool) {
					if page == 1 {
						return values{"MaxResults": "100"}, true
					}
					next := last.text(t, "NextToken")
					return values{"MaxResults": "100", "NextToken": next}, next != ""
				}
			}
			for way, next := range pages {
				seen := map[string]bool{}
				var answer reply
				for page := 1; ; page++ {
					own, more := next(page, answer)
					if !more {
						break
					}
					answer = c.ok(action, own.with(row.own))
					if got := fmt.Sprint(answer.at(t, "TotalCount")); got != strconv.Itoa(count) {
						t.Fatalf("%s: TotalCount %s", way, got)
					}
					for n := range answer.list(t, row.list...) {
						key := answer.text(t, append(slices.Clone(row.list), n, row.key)...)
						if seen[key] {
							t.Fatalf("%s: %s is there twice", way, key)
						}
						seen[key] = true
					}
				}
				if len(seen) != count {
					t.Errorf("%s: %d of %d", way, len(seen), count)
				}
			}
			most, _ := strconv.Atoi(row.mostSize)
			c.refused(action, values{"PageSize": strconv.Itoa(most + 1)}, "InvalidParameter", 400)
			c.refused(action, values{"PageNumber": "0"}, "InvalidParameter", 400)
			if row.token {
				c.refused(action, values{"NextToken": "nonsense"}, "InvalidParameter", 400)
			}
		})
	}
}
