/**
 * A server as the checks see it: where a client reaches it, and what is known about the one who wrote it. `suites/`
 * opens servers, connects clients to them and runs the checks on each pair.
 */

import { fileURLToPath } from 'node:url'
import type { ClientUnderTest, Version } from './client-under-test.ts'

export interface Command {
  readonly command: string
  readonly args: string[]
}

export type Address =
  | { readonly kind: 'stdio'; readonly command: Command }
  | { readonly kind: 'http' | 'sse'; readonly url: string }

export interface ServerUnderTest {
  /** Ours, or one on the official packages of that major version. */
  readonly maker: 'ours' | 'sdk-1' | 'sdk-2'
  readonly address: Address
  readonly close: () => Promise<void>
}

/** One client at one server. */
export interface Pair {
  readonly client: ClientUnderTest
  readonly server: ServerUnderTest
  readonly version: Version
  readonly modern: boolean
}

export interface Check {
  readonly name: string
  /** Where the check applies; everywhere unless given. */
  readonly when?: (pair: Pair) => boolean
  readonly run: (pair: Pair) => Promise<void>
}

/** The revision whose words a server uses: ours keeps to the one agreed on, the official ones use all they know. */
export function spokenIn({ server, version }: Pair): Version {
  return server.maker === 'ours' ? version : '2026-07-28'
}

/** How Node runs a TypeScript file of this folder: as this process was run itself. */
export function toCommand(file: URL, args: string[] = []): Command {
  return { command: process.execPath, args: [...process.execArgv, fileURLToPath(file), ...args] }
}
