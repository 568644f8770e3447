/** `@portico/sdk/testing/faults`: break the way between a client and a server, and count what became of the calls. Node only. */

export {
  ACCOUNT_COLUMNS,
  ACCOUNT_FAULTS,
  type Account,
  addAccount,
  createAccount,
  isClean,
} from '../../testing/faults/account.ts'
export type { FaultSubject } from '../../testing/faults/fault-link.ts'
export type { ForeignCommand } from '../../testing/faults/foreign-client.ts'
export { FaultProxy, type Pace, type Passage, type ProxyHooks, type ProxyTarget } from '../../testing/faults/proxy.ts'
export { createSeeded, type Seeded } from '../../testing/faults/seeded.ts'
export { tryClient } from '../../testing/faults/try-client.ts'
export {
  type FaultOptions,
  type FaultRow,
  type FaultStep,
  tryServer,
  type Unseen,
} from '../../testing/faults/try-server.ts'
export { createWorkServer } from '../../testing/faults/work-server.ts'
