/** What a cell wants of the link that it breaks. */

import type { ConnectOptions } from '@portico/sdk/client'
import type { GatewayPlan, Version } from '../programs/gateway-plan.ts'
import type { ServerPlan } from '../programs/server-plan.ts'

/**
 * Pipes; HTTP of 2026-07-28; HTTP with sessions; a gateway, broken between it and its client; a gateway, broken between it and
 * its server.
 */
export type Link = 'L1' | 'L2' | 'L3' | 'L4' | 'L5'
export type Way = 'stdio' | 'http'

export interface RigOptions {
  readonly plan?: Partial<ServerPlan>
  readonly gateway?: Partial<GatewayPlan>
  readonly client?: ConnectOptions | ((url: string) => ConnectOptions)
  readonly proxy?: boolean
  /** The fault leaves server and gateway as they were: those that an earlier run has started will do. */
  readonly reuse?: boolean
  /** The fault leaves its mark on what stays alive: every run has a site of its own. */
  readonly fresh?: boolean
  /** The revision on the link that is broken, where it does not follow from the link. */
  readonly version?: Version
  /** For L4 and L5: how the gateway reaches the server. */
  readonly way?: Way
  /** Arguments for Node, before the program whose end is broken. */
  readonly nodeArgs?: readonly string[]
  /** For pipes: what stands between the client and the server. */
  readonly wrap?: (target: Command) => Command
  /** For a program that listens: a shell command that runs before it does, such as `ulimit`. */
  readonly shell?: string
  /** Only bearers of a token are let in at the far end of the link, and the near end gets one. */
  readonly tokens?: boolean
  /** How many programs there are of the kind that is broken; a proxy stands before them. */
  readonly replicas?: number
}

export interface Command {
  readonly command: string
  readonly args: readonly string[]
}
