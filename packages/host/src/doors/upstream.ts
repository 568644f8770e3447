/** `@portico/host/upstream`: many servers side by side, what they offer under one roof, and what must not change unseen. */

export { createCatalogue } from '../upstream/catalogue/catalogue.ts'
export type {
  Catalogue,
  CatalogueEvents,
  CatalogueOptions,
  CataloguePage,
  ItemCall,
  ListOptions,
} from '../upstream/catalogue/catalogue-types.ts'
export type { CatalogueItem, ItemKind, Quarantine, TextFinding } from '../upstream/catalogue/item.ts'
export type { ListingProblem, ListKind, Missing } from '../upstream/catalogue/listing.ts'
export type { Collision } from '../upstream/catalogue/names.ts'
export type { SearchHit, SearchOptions } from '../upstream/catalogue/search.ts'
export { type SearchTools, type SearchToolUse, searchTools } from '../upstream/catalogue/search-tools.ts'
export { bounded, type Neutralised, neutralise } from '../upstream/catalogue/text.ts'
export type { BreakerOptions } from '../upstream/connection/breaker.ts'
export { explainFailure, type Failure, type FailureContext } from '../upstream/connection/failure.ts'
export type { LostRequests, WireMessage } from '../upstream/connection/link-tap.ts'
export type { ClientTelemetryApi } from '../upstream/connection/link-telemetry.ts'
export {
  type InProcessFactory,
  type InProcessServer,
  type ResolvedTarget,
  resolvePlainly,
  type TargetResolver,
} from '../upstream/connection/resolve.ts'
export { differenceOf, type PartDifference, type WordRun, wordDifference } from '../upstream/pins/difference.ts'
export {
  describeDifference,
  type LockDifference,
  lockServers,
  lockText,
  type ServersLock,
  verifyServers,
} from '../upstream/pins/lock.ts'
export {
  createPinStore,
  type ObservedItem,
  type PinCheck,
  type PinStore,
  type PinStoreOptions,
} from '../upstream/pins/pins.ts'
export type { Degradation, DegradationWords } from '../upstream/server-status.ts'
export type { LogSource, SupervisionOptions } from '../upstream/supervision.ts'
export type {
  ConnectionRequest,
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
