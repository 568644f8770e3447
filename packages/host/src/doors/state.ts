/** `@portico/host/state`: state that outlives the process and that several processes share. */

export {
  openState,
  type PostgresSetting,
  type RedisSetting,
  type SqliteSetting,
  type StateSetting,
} from '../state/open-state.ts'
export type { OpenedState, StateStatus } from '../state/opened-state.ts'
