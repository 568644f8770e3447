/** `@portico/host/cluster`: several processes that serve one server or gateway, behind plain round robin. */

export { type Cluster, type ClusterOptions, createCluster } from '../cluster/cluster.ts'
export type { DoorOptions } from '../cluster/door.ts'
export { listClusterReplicas } from '../cluster/list-replicas.ts'
export type { ReplicaView } from '../cluster/replica-rows.ts'
