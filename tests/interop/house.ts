/**
 * A server as the checks see it: where a guest reaches it, and what is known about the one who wrote it. `suites/`
 * opens houses, connects guests to them and runs the checks on each pair.
 */

import { fileURLToPath } from 'node:url'
import type { Guest, Version } from './guest.ts'

export interface Command {
  readonly command: string
  readonly args: string[]
}

export type Address =
  | { readonly kind: 'stdio'; readonly command: Command }
  | { readonly kind: 'http' | 'sse'; readonly url: string }

export interface House {
  /** Ours, or one on the official packages of that major version. */
  readonly maker: 'ours' | 'sdk-1' | 'sdk-2'
  readonly address: Address
  readonly close: () => Promise<void>
}

/** One guest at one house. */
export interface Scene {
  readonly guest: Guest
  readonly house: House
  readonly version: Version
  readonly modern: boolean
}

export interface Check {
  readonly name: string
  /** Where the check applies; everywhere unless given. */
  readonly when?: (scene: Scene) => boolean
  readonly run: (scene: Scene) => Promise<void>
}

/** The revision whose words a house uses: ours keeps to the one agreed on, the official ones use all they know. */
export function spokenIn({ house, version }: Scene): Version {
  return house.maker === 'ours' ? version : '2026-07-28'
}

/** How Node runs a TypeScript file of this folder: as this process was run itself. */
export function toCommand(file: URL, args: string[] = []): Command {
  return { command: process.execPath, args: [...process.execArgv, fileURLToPath(file), ...args] }
}
