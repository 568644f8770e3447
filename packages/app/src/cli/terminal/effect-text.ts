/** An effect in words for the person who decides: what would happen, and with what. */

import type { Effect } from '@portico/host/policy'
import type { Paint } from './io.ts'
import { toLine, toPlain } from './plain-text.ts'

interface EffectText {
  readonly title: string
  /** The command, the arguments: all of it, since a yes is to all of it. */
  readonly details?: string
}

export function describeEffect(effect: Effect, paint: Paint): EffectText {
  const server = paint.bold(toLine(effect.server, 80))
  switch (effect.kind) {
    case 'connect':
      return { title: `Connect ${server}?`, details: toPlain(effect.shown) }
    case 'call':
      return { title: `Call ${paint.bold(toLine(effect.tool, 80))} of ${server}?`, details: toJson(effect.arguments) }
    case 'prompt':
      return {
        title: `Use the prompt ${paint.bold(toLine(effect.prompt, 80))} of ${server}?`,
        details: toJson(effect.arguments),
      }
    case 'complete':
      return {
        title: `Let ${server} complete what you type for ${paint.bold(toLine(effect.item, 80))}?`,
        details: toJson(effect.arguments),
      }
    case 'read':
      return { title: `Read a resource of ${server}?`, details: toPlain(effect.uri) }
    case 'sample': {
      const when = effect.background ? ' outside any call of yours' : ''
      return { title: `Let ${server} use your model${when}, for up to ${effect.maxTokens} tokens?` }
    }
    case 'elicit':
      return { title: `Let ${server} ask you something${effect.host === undefined ? '' : ` at ${effect.host}`}?` }
    case 'root':
      return { title: `Tell ${server} of a folder?`, details: toPlain(effect.uri) }
    case 'flow':
      return {
        title: `Data of ${paint.bold(toLine(effect.from.join(', '), 80))} would go to ${server} (${toLine(effect.tool, 80)}). Send it?`,
        details: toJson(effect.arguments),
      }
  }
}

function toJson(value: unknown): string {
  return toPlain(JSON.stringify(value, null, 2))
}
