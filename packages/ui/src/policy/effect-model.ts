/** An effect put together by hand, to ask what the rules would say of it. */

import type { ApiParams } from 'portico/web-api'
import { isRecord, parseJson } from '../parts/json.ts'
import type { EffectKind } from './rule-model.ts'

type Effect = ApiParams<'policy.explain'>['effect']

export interface EffectForm {
  readonly kind: EffectKind
  readonly server: string
  /** Tool, prompt, URI, command line or web host, by the kind. */
  readonly item: string
  /** As JSON text. */
  readonly arguments: string
  /** For a flow: whose data it is, separated by commas. */
  readonly from: string
  readonly trusted: boolean
  readonly readOnly: boolean
  readonly destructive: boolean
}

export const EMPTY_EFFECT: EffectForm = {
  kind: 'call',
  server: '',
  item: '',
  arguments: '{}',
  from: '',
  trusted: false,
  readOnly: false,
  destructive: false,
}

/** What the item is called for each kind; undefined where there is none. */
export const ITEM_WORDS: { readonly [kind in EffectKind]: string | undefined } = {
  connect: 'Command or address',
  call: 'Tool',
  read: 'Address',
  prompt: 'Prompt',
  complete: 'Prompt or address',
  sample: undefined,
  elicit: 'Web host (for a link)',
  root: 'Folder',
  flow: 'Tool',
}

export function hasArguments(kind: EffectKind): boolean {
  return kind === 'call' || kind === 'prompt' || kind === 'complete' || kind === 'flow'
}

/** The effect, or why it is not one yet. */
export function toEffect(form: EffectForm): { readonly effect: Effect } | { readonly problem: string } {
  const { kind, item } = form
  const server = form.server.trim()
  if (server === '') return { problem: 'Choose a server' }
  const read = hasArguments(kind) ? parseJson(form.arguments.trim() === '' ? '{}' : form.arguments) : undefined
  if (read?.ok === false) return { problem: read.problem }
  if (read !== undefined && !isRecord(read.value)) return { problem: 'Arguments must be an object' }
  // Read from JSON just now, and looked at.
  const given = (read?.value ?? {}) as Extract<Effect, { readonly kind: 'call' }>['arguments']
  switch (kind) {
    case 'connect':
      return { effect: { kind, server, shown: item, fingerprint: '' } }
    case 'call':
      return { effect: { kind, server, tool: item, arguments: given, trusted: form.trusted, ...annotations(form) } }
    case 'read':
    case 'root':
      return { effect: { kind, server, uri: item } }
    case 'prompt':
      return { effect: { kind, server, prompt: item, arguments: given } }
    case 'complete':
      return { effect: { kind, server, of: item.includes(':') ? 'read' : 'prompt', item, arguments: given } }
    case 'sample':
      return { effect: { kind, server, background: false, maxTokens: 1_000 } }
    case 'elicit':
      return { effect: { kind, server, mode: item === '' ? 'form' : 'url', ...(item !== '' && { host: item }) } }
    case 'flow': {
      const from = form.from
        .split(',')
        .map((one) => one.trim())
        .filter((one) => one !== '')
      if (from.length === 0) return { problem: 'Name the server whose data it is' }
      return { effect: { kind, server, from, tool: item, arguments: given } }
    }
  }
}

function annotations({ readOnly, destructive }: EffectForm) {
  if (!readOnly && !destructive) return {}
  return { annotations: { ...(readOnly && { readOnlyHint: true }), ...(destructive && { destructiveHint: true }) } }
}
