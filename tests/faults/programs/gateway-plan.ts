/** What the fault suite's gateway is told when it starts. */

export type Version = '2026-07-28' | '2025-11-25'

export interface GatewayPlan {
  readonly port: number
  /** Towards the server. */
  readonly version: Version
  readonly target: string | { readonly command: string; readonly args: readonly string[] }
  readonly graceMs?: number
  readonly keepAliveMs?: number
  readonly duplicateEvents?: boolean
  /** How many failures of the server open its circuit. */
  readonly failures?: number
  /** How often a connection without news is asked whether it is still there, and how long it has to answer. */
  readonly keepAlive?: { readonly pingMs: number; readonly pongMs: number }
  /** Only bearers of the token in this file are let in; it is read with every request. */
  readonly tokenFile?: string
  /** Where those who have none are told to look. */
  readonly metadata?: string
  /** Whether the gateway has to get a token for the server. */
  readonly signsIn?: boolean
}
