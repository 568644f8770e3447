/** `@portico/sdk/relay`: what a gateway is made of: a server whose answers come from elsewhere. */

export type { ClientCapabilities } from '../protocol/capabilities.ts'
export type { CompleteResult } from '../protocol/completion.ts'
export type { QuestionMethod } from '../server/asking/asking.ts'
export type { SessionView } from '../server/context.ts'
export type { Introduction } from '../server/feature.ts'
export { type DefinedRelay, defineRelay, type Relay, type RelayFeature, type RelayLists } from '../server/relay.ts'
export type { TaskSettings } from '../server/tasks/task-options.ts'
