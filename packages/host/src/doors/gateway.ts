/** `@portico/host/gateway`: any number of servers as one, for clients of any revision on any transport. */

export type { ParkingLimits } from '../gateway/call/parking.ts'
export type { IssuerLogin } from '../gateway/connections/visitor-login.ts'
export { createVisitors, type VisitorOptions } from '../gateway/connections/visitors.ts'
export {
  createGateway,
  type Gateway,
  type GatewayHealth,
  type GatewayOptions,
} from '../gateway/gateway.ts'
export type { GatewayCatalogue, GatewayHost } from '../gateway/gateway-host.ts'
export { GATEWAY_LIMITS, type GatewayLimits, type ToolLimits } from '../gateway/limits.ts'
export type { GatewayMetrics, Tally } from '../gateway/metrics.ts'
export type { GatewayCaller } from '../gateway/operations/caller-control.ts'
export { GATEWAY_METRICS, type Metric } from '../gateway/operations/metric-list.ts'
export { METRICS_TYPE, metricsText } from '../gateway/operations/metrics-text.ts'
export {
  type OperationsOptions,
  type OperationsServer,
  serveOperations,
} from '../gateway/operations/serve-operations.ts'
export {
  type GatewayHttpOptions,
  type GatewayPages,
  type GatewayServer,
  requireIdentity,
  serveGateway,
} from '../gateway/serve.ts'
export {
  type CallerSignIn,
  createSignIn,
  type GatewayClient,
  type SignIn,
  type SignInOptions,
  type Visit,
  type Visitors,
} from '../gateway/sign-in/sign-in.ts'
export {
  type ConsentSubject,
  createSignInConsents,
  type SignInConsent,
  type SignInConsents,
  type SignInConsentsOptions,
} from '../gateway/sign-in/sign-in-consents.ts'
export { createSignInPages, type SignInPages, toSignInListener } from '../gateway/sign-in/sign-in-pages.ts'
export type { VisitLimits } from '../gateway/sign-in/url-visits.ts'
export type { GatewayTasks } from '../gateway/tasks/task-settings.ts'
export { TOOLS_HEADER, withToolsets } from '../gateway/views/toolset.ts'
export type { ViewRule, Views } from '../gateway/views/view-rule.ts'
