/** `@portico/host/upstream`: many servers side by side, what they offer under one roof, and what must not change unseen. */

export type { BreakerOptions } from '../upstream/breaker.ts'
export { createCatalogue } from '../upstream/catalogue.ts'
export type {
  Catalogue,
  CatalogueEvents,
  CatalogueOptions,
  CataloguePage,
  ItemCall,
  ListOptions,
} from '../upstream/catalogue-types.ts'
export { differenceOf, type PartDifference, type WordRun, wordDifference } from '../upstream/difference.ts'
export { explainFailure, type Failure, type FailureContext } from '../upstream/failure.ts'
export type { CatalogueItem, ItemKind, Quarantine, TextFinding } from '../upstream/item.ts'
export type { LifeOptions, LogSource } from '../upstream/life-options.ts'
export type { LostRequests, WireMessage } from '../upstream/link-tap.ts'
export type { ClientTelemetryApi } from '../upstream/link-telemetry.ts'
export type { ListingProblem, ListKind, Missing } from '../upstream/listing.ts'
export {
  describeDifference,
  type LockDifference,
  lockServers,
  lockText,
  type ServersLock,
  verifyServers,
} from '../upstream/lock.ts'
export type { Collision } from '../upstream/names.ts'
export {
  createPinStore,
  type PinStore,
  type PinStoreOptions,
  type PinVerdict,
  type Sighting,
} from '../upstream/pins.ts'
export {
  type InProcessFactory,
  type InProcessServer,
  type ResolvedTarget,
  resolvePlainly,
  type TargetResolver,
} from '../upstream/resolve.ts'
export type { SearchHit, SearchOptions } from '../upstream/search.ts'
export { type SearchTools, type SearchToolUse, searchTools } from '../upstream/search-tools.ts'
export type { Ailment, AilmentWords } from '../upstream/state-board.ts'
export { bounded, type Neutralised, neutralise } from '../upstream/text.ts'
export type {
  ClientWish,
  QuestionHandlers,
  UpstreamSource,
  UpstreamState,
  UpstreamStateName,
  UpstreamView,
} from '../upstream/upstream.ts'
export {
  createUpstreams,
  type UpstreamEvents,
  type UpstreamLog,
  type Upstreams,
  type UpstreamsOptions,
} from '../upstream/upstreams.ts'
