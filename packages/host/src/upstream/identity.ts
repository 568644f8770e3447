/** How a server introduces itself beyond its name: made safe and bounded before anybody is told. */

import type { Implementation } from '@portico/sdk/client'
import { isObject } from '@portico/sdk/internal'
import type { JsonObject } from '@portico/sdk/server'
import { bounded, neutralise } from './catalogue/text.ts'
import { isWebsite, safeIcons } from './catalogue/web-addresses.ts'

/** What of it may be passed on: pinned as one, so that none of it changes unseen. */
export interface ServerIdentity {
  readonly title?: string
  readonly description?: string
  readonly websiteUrl?: string
  readonly icons?: Implementation['icons']
  readonly experimental?: { readonly [name: string]: JsonObject }
}

/** What callers may be told of a server: what of it is as it was approved. */
export interface ServerIntroduction {
  readonly instructions?: string
  readonly identity?: ServerIdentity
}

/** Longer ones are left out as a whole. */
const MAX_LENGTH = 16_384
const MAX_TEXT = 4_000
const MAX_DEPTH = 8

export function identityOf(info: Implementation | undefined, experimental: unknown): ServerIdentity | undefined {
  const { title, description, websiteUrl, icons } = info ?? {}
  const given = {
    ...(typeof title === 'string' && { title }),
    ...(typeof description === 'string' && { description }),
    ...(isWebsite(websiteUrl) && { websiteUrl }),
    ...(Array.isArray(icons) && { icons: safeIcons(clean(icons, 0)) }),
    ...(isObject(experimental) && { experimental: membersOf(experimental) }),
  }
  if (Object.keys(given).length === 0 || JSON.stringify(given).length > MAX_LENGTH) return undefined
  // Texts are replaced by texts, so that the shape stays what it was.
  return clean(given, 0) as ServerIdentity
}

function membersOf(experimental: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(experimental).filter(([, value]) => isObject(value)))
}

function clean(value: unknown, depth: number): unknown {
  if (typeof value === 'string') return neutralise(bounded(value, MAX_TEXT)).text
  if (typeof value !== 'object' || value === null) return value
  if (depth >= MAX_DEPTH) return null
  if (Array.isArray(value)) return value.map((one) => clean(one, depth + 1))
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [clean(name, depth), clean(one, depth + 1)]))
}
