/** `@portico/host/gateway`: any number of servers as one, for clients of any revision on any transport. */

export { createGateway, type Gateway, type GatewayHealth, type GatewayOptions } from '../gateway/gateway.ts'
export type { GatewayCatalogue, GatewayHost } from '../gateway/gateway-host.ts'
export { GATEWAY_LIMITS, type GatewayLimits, type ToolLimits } from '../gateway/limits.ts'
export type { GatewayMetrics, Tally } from '../gateway/metrics.ts'
export type { ParkingLimits } from '../gateway/parking.ts'
export { type GatewayHttpOptions, type GatewayServer, requireIdentity, serveGateway } from '../gateway/serve.ts'
export { createSignIn, type SignIn, type SignInDesk, type SignInOptions } from '../gateway/sign-in.ts'
export { createSignInPages, type SignInPages, toSignInListener } from '../gateway/sign-in-pages.ts'
export type { VisitLimits } from '../gateway/url-visits.ts'
export { TOOLS_HEADER, type ViewRule, type Views } from '../gateway/view.ts'
