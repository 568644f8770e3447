/** An effect as rules look at it: one name for what it touches, its arguments, and annotations as far as they are believed. */

import type { JsonObject, ToolAnnotations } from '@portico/sdk/server'
import type { Effect } from './effect.ts'

/** What the effect touches: the tool, prompt, URI, command line, web host, or kind of sampling. */
export function itemOf(effect: Effect): string {
  switch (effect.kind) {
    case 'connect':
      return effect.shown
    case 'call':
    case 'flow':
      return effect.tool
    case 'read':
    case 'root':
      return effect.uri
    case 'prompt':
      return effect.prompt
    case 'complete':
      return effect.item
    case 'sample':
      return effect.background ? 'background' : 'in-call'
    case 'elicit':
      return effect.mode === 'url' ? (effect.host ?? 'url') : 'form'
  }
}

export function argumentsOf(effect: Effect): JsonObject {
  switch (effect.kind) {
    case 'call':
    case 'prompt':
    case 'complete':
    case 'flow':
      return effect.arguments
    case 'sample':
      return { maxTokens: effect.maxTokens, includeContext: effect.includeContext ?? 'none' }
    default:
      return {}
  }
}

export interface Traits {
  readonly readOnly: boolean
  readonly destructive: boolean
  readonly openWorld: boolean
}

/** What a tool must be taken for when nobody trustworthy says otherwise; also what the specification supposes. */
export const WORST: Traits = { readOnly: false, destructive: true, openWorld: true }

/** As the server claims, with the specification's defaults. A tool that only reads destroys nothing. */
export function claimedTraits(annotations: ToolAnnotations | undefined): Traits {
  const readOnly = annotations?.readOnlyHint === true
  return {
    readOnly,
    destructive: readOnly ? false : annotations?.destructiveHint !== false,
    openWorld: annotations?.openWorldHint !== false,
  }
}

/** What may be believed: the claims of a trusted server, the worst of any other (sec-126). */
export function believedTraits(effect: Effect): Traits {
  return effect.kind === 'call' && effect.trusted ? claimedTraits(effect.annotations) : WORST
}

/** A trusted server says that the tool only reads, and not whether it reaches out, which then has to be supposed. */
export function isUndeclaredReading(effect: Effect): boolean {
  if (effect.kind !== 'call' || !effect.trusted) return false
  return effect.annotations?.readOnlyHint === true && effect.annotations.openWorldHint === undefined
}

/** Can do harm, or carry something away, as far as is known. */
export function isRisky(effect: Effect): boolean {
  if (effect.kind !== 'call') return false
  const { destructive, openWorld } = believedTraits(effect)
  return destructive || openWorld
}
