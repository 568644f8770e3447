/** Digests that tell whether two entries mean the same, whatever the order of their members. */

import { createHash } from 'node:crypto'
import { toCanonicalJson } from '@portico/sdk/internal'
import type { ServerConfig, ServerSettings, ServerTarget } from '../server-config.ts'

/** Over everything that makes the connection what it is. Secrets are in it as references. */
export function fingerprintOf(target: ServerTarget, settings: ServerSettings): string {
  return digestOf([target, settings.auth ?? null, settings.tls ?? null])
}

/** Over the whole meaning of an entry, settings included; where it was written does not count. */
export function meaningOf({ name, target, settings }: ServerConfig): string {
  return digestOf([name, target, settings])
}

export function digestOfText(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}

/** Equal for values that are the same JSON, whatever the order of members. */
export function digestOf(value: unknown): string {
  return digestOfText(toCanonicalJson(value))
}
