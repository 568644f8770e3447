/** `@portico/sdk/state`: where state is kept that outlives a connection, and the pair of it for one process. */

export { BUS_LIMITS, type Bus, type BusListener, requireMessage } from '../state/bus.ts'
export { createMemoryBus } from '../state/memory-bus.ts'
export { createMemoryStore } from '../state/memory-store.ts'
export {
  type Change,
  FOREIGN_VERSION,
  type Kept,
  type KeptEntry,
  type Lease,
  type ListRange,
  requireChanges,
  requireKey,
  requireRange,
  requireTime,
  STORE_LIMITS,
  type Store,
  toVersion,
} from '../state/store.ts'
