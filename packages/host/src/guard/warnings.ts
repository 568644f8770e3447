/** What a person should look at first before saying yes: shown with the question, never a reason to decide by itself. */

import { toCode } from '@portico/sdk/internal-text'
import { mixedScripts } from '@portico/sdk/lint'
import { toCanonicalJson } from '../audit/canonical.ts'
import { redactText } from '../audit/redaction.ts'
import type { Circumstances, Effect, EffectKind } from '../policy/effect.ts'
import { argumentsOf, claimedTraits, isRisky, itemOf } from '../policy/facts.ts'

export function warningsFor(effect: Effect, { tainted }: Circumstances): readonly string[] {
  return [...ofNames(effect), ...ofKind(effect), ...ofContext(effect, tainted), ...ofArguments(effect)]
}

/** A name that imitates another is believed to be that other. */
function* ofNames(effect: Effect): Generator<string> {
  const named = NAMED.has(effect.kind) ? [effect.server, itemOf(effect)] : [effect.server]
  for (const name of named) {
    const mixed = mixedScripts(name)
    if (mixed === undefined) continue
    const codes = mixed.letters.slice(0, MAX_LETTERS).map((one) => toCode(one.codePointAt(0) ?? 0))
    yield `"${name}" has letters that look like others (${mixed.scripts.join(', ')}: ${codes.join(', ')}).`
  }
}

/** Whose item is a name that a server or a person gave. */
const NAMED: ReadonlySet<EffectKind> = new Set(['call', 'read', 'prompt', 'complete', 'root', 'flow'])
const MAX_LETTERS = 8

function* ofKind(effect: Effect): Generator<string> {
  switch (effect.kind) {
    case 'connect':
      if (effect.local !== false) {
        yield 'A local server runs with your own rights. Read the whole command before you allow it.'
      }
      break
    case 'call':
      if (effect.trusted && claimedTraits(effect.annotations).destructive) yield 'The tool may change or delete things.'
      break
    case 'sample':
      if (effect.background) yield 'The server asks by itself, outside of any call.'
      if (effect.includeContext === 'allServers')
        yield 'It wants what other servers have said in this conversation, too.'
      else if (effect.includeContext === 'thisServer') yield 'It wants what it has said in this conversation before.'
      break
    case 'flow':
      yield effect.inArguments === true
        ? `The arguments hold data that came from ${names(effect.from)}, and would go to "${effect.server}".`
        : `The conversation holds data from ${names(effect.from)}, which may be in what goes to "${effect.server}".`
      break
    default:
  }
}

function* ofContext(effect: Effect, tainted: boolean): Generator<string> {
  if (!tainted || !isRisky(effect)) return
  yield 'Untrusted text is in the conversation, and may be what asks for this.'
}

/** JSON spells most control characters out. */
const HIDDEN = /[\p{Cf}\p{Cc}]|\\u00[01][0-9a-f]/u
const LONG = 10_000

function* ofArguments(effect: Effect): Generator<string> {
  const text = toCanonicalJson(argumentsOf(effect))
  if (redactText(text) !== text) yield 'An argument looks like a password or key.'
  if (HIDDEN.test(text)) yield 'An argument holds characters that cannot be seen.'
  if (text.length > LONG) yield `The arguments are long (${text.length} characters): look at all of them.`
}

function names(servers: readonly string[]): string {
  return servers.map((server) => `"${server}"`).join(' and ')
}
