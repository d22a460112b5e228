locals {
  volumes = [
    yamldecode(<<-EOT
      apiVersion: v1
      kind: PersistentVolume
      metadata: { name: data-0 }
      spec:
        csi:
          driver: diskplugin.csi.alibabacloud.com
          volumeHandle: d-bp1example
    EOT
    ),
    { nfs = { server = "nas.example.com", path = "/" } }, # no disk: skipped
  ]
}

output "disks" {
  value = provider::machine::volume_ids(local.volumes) # ["d-bp1example"]
}
