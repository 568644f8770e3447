/** `@portico/host/state`: state that outlives the process and that several processes share. */

export {
  openState,
  type PostgresSetting,
  type RedisSetting,
  type SqliteSetting,
  type StateSetting,
} from '../state/open-state.ts'
export type { OpenedState, StateStatus } from '../state/opened-state.ts'
export type { Availability } from '../state/shared/availability.ts'
export { listReplicas, type Replica, type ReplicaFacts, type Replicas } from '../state/shared/replicas.ts'
export { type SealedStore, type SealOptions, sealStore } from '../state/shared/sealed-store.ts'
export { type SharedState, type ShareOptions, shareState } from '../state/shared/shared-state.ts'
export type { SharedText } from '../state/shared/shared-text.ts'
