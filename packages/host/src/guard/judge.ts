/**
 * One effect before rules, remembered answers and the person, in this order, until it is settled. Arguments that the
 * person edits are judged again, a few times at most. Nothing is written here; `create-guard.ts` does that.
 */

import type { JsonObject } from '@portico/sdk/server'
import { toDigest } from '../audit/canonical.ts'
import { callListener } from '../config/call-listener.ts'
import type { Clock } from '../consent/clock.ts'
import { describeGrant, type Grant, type KnownDefinition } from '../consent/grant.ts'
import type { Grants } from '../consent/grants.ts'
import type { Inbox } from '../consent/inbox.ts'
import type { Answer, QuestionBody } from '../consent/question.ts'
import type { Counts } from '../policy/counts.ts'
import type { Decision } from '../policy/decision.ts'
import type { Circumstances, Effect } from '../policy/effect.ts'
import { isRisky } from '../policy/facts.ts'
import type { Rules } from '../policy/rules.ts'
import type { PassOptions } from './guard.ts'
import type { ReadingTrust } from './reading-trust.ts'
import type { DecidedBy, FinalDecision } from './records.ts'
import type { Refusals } from './refusals.ts'
import { warningsFor } from './warnings.ts'

export interface JudgeParts {
  readonly rules: () => Rules
  readonly counts: Counts
  readonly grants: Grants
  readonly inbox: Inbox
  readonly clock: Clock
  /** What is known of the definition that an effect uses. */
  readonly definition: (effect: Effect) => KnownDefinition
  readonly refusals: Refusals
  readonly readingTrust: ReadingTrust
  /** Whether a session holds text of a server that is not trusted; unknown where nothing keeps track. */
  readonly holdsForeignText: (session: string) => boolean | undefined
  readonly onWarning: (message: string) => void
}

export interface Judgement<E extends Effect> extends FinalDecision {
  /** As it was put to the person, where one was asked: a copy that nobody can change any more. */
  readonly effect: E
  /** The person changed the arguments. */
  readonly edited?: boolean
  readonly answer?: Answer
}

/** How often a person may edit before it is refused. */
export const MAX_ROUNDS = 4

/** Of an answer that was given to another question. */
const AGAIN = { detail: { again: true } } as const
const READING_ALLOWED = 'A person has allowed what this server reads, in this conversation.'

export async function judge<E extends Effect>(
  parts: JudgeParts,
  asked: E,
  about: Circumstances,
  options: PassOptions = {},
): Promise<Judgement<E>> {
  let effect = asked
  let approved: { readonly by: string; readonly answer: Answer } | undefined
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const decision = parts.rules().decide(effect, about, parts.counts)
    const settle = (allowed: boolean, by: DecidedBy, reason = decision.reason, more: Partial<Judgement<E>> = {}) => {
      return { allowed, by, reason, decision, effect, ...more }
    }
    if (decision.outcome === 'deny') return settle(false, 'rule')
    const grant = parts.grants.peek(effect, about, parts.definition(effect))
    if (grant?.action === 'deny') return settle(false, 'grant', `${describeGrant(grant)}.`, detailOf(grant))
    if (decision.outcome === 'allow') return settle(true, 'rule', decision.reason, { answer: approved?.answer })
    // What was just approved under this rule, with these arguments, is not asked once more.
    if (approved?.by === nameOf(decision)) {
      return settle(true, 'person', 'A person edited and allowed it.', {
        edited: true,
        answer: approved.answer,
        detail: { edited: true, ...surfaceOf(approved.answer) },
      })
    }
    if (grant !== undefined && isSufficient(grant, effect, about)) {
      // What held for one time may have been used meanwhile, elsewhere too.
      if (grant.remember === 'once' && !(await parts.grants.use(grant))) continue
      return settle(true, 'grant', `${describeGrant(grant)}.`, detailOf(grant))
    }
    const isRead = !about.unattended && parts.readingTrust.holds(effect, about, decision)
    if (isRead) return settle(true, 'person', READING_ALLOWED, AGAIN)
    if (about.unattended) return settle(false, 'nobody', `Nobody is there to be asked. ${decision.reason}.`)
    const refused = parts.refusals.reason(effect, about)
    if (refused !== undefined) return settle(false, 'person', refused, AGAIN)
    effect = toFrozen(effect)
    const answer = await askUnlessSettled(parts, { effect, about, decision }, options)
    // Somebody has answered for this, too, while it waited.
    if (answer === undefined) {
      round--
      continue
    }
    parts.readingTrust.note(effect, about, decision, answer.action === 'allow')
    if (answer.action !== 'allow') {
      await remember(parts, effect, answer, about)
      const by = answer.by === 'expired' || answer.by === 'withdrawn' ? 'nobody' : 'person'
      if (by === 'person') parts.refusals.note(effect, about)
      const words = by === 'nobody' ? 'Nobody answered.' : 'A person said no.'
      return settle(false, by, words, { answer, detail: surfaceOf(answer) })
    }
    const edited = withEdits(effect, answer, options.question)
    await remember(parts, edited, answer, about)
    if (edited === effect) return settle(true, 'person', 'A person allowed it.', { answer, detail: surfaceOf(answer) })
    effect = edited
    approved = { by: nameOf(decision), answer }
  }
  const decision = parts.rules().decide(effect, about, parts.counts)
  return { allowed: false, by: 'person', reason: 'The arguments were edited too often.', decision, effect }
}

/** Undefined when a remembered answer, given elsewhere meanwhile, has become enough. */
interface Asked {
  readonly effect: Effect
  readonly about: Circumstances
  readonly decision: Decision
}

async function askUnlessSettled(parts: JudgeParts, asked: Asked, options: PassOptions): Promise<Answer | undefined> {
  const settled = new AbortController()
  const { signal } = options
  const { effect, about } = asked
  const stop = parts.grants.on(() => {
    const grant = parts.grants.peek(effect, about, parts.definition(effect))
    if (grant !== undefined && (grant.action === 'deny' || isSufficient(grant, effect, about))) settled.abort()
  })
  try {
    const both = signal === undefined ? settled.signal : AbortSignal.any([signal, settled.signal])
    return await ask(parts, asked, { ...options, signal: both })
  } catch (error) {
    if (settled.signal.aborted && signal?.aborted !== true) return undefined
    throw error
  } finally {
    stop()
  }
}

/** What to look at first goes with every question that has a place for it, whoever has written the question. */
function withWarnings(body: QuestionBody, more: readonly string[]): QuestionBody {
  if (body.kind !== 'approval' && body.kind !== 'sampling') return body
  return { ...body, warnings: [...new Set([...more, ...(body.warnings ?? [])])] }
}

/** What is shown is what happens, whatever the caller does with its own object while somebody reads. */
function toFrozen<E extends Effect>(effect: E): E {
  return freeze(structuredClone(effect))
}

function freeze<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value
  for (const member of Object.values(value)) freeze(member)
  return Object.freeze(value)
}

/** All of the server was allowed, before there was this tool. */
function* ofNewTool({ grants, definition }: JudgeParts, effect: Effect, about: Circumstances): Generator<string> {
  const { fingerprint, since } = definition(effect)
  if (since === undefined || grants.peek(effect, about, { fingerprint, since }) !== undefined) return
  const grant = grants.peek(effect, about, { fingerprint })
  if (grant?.action === 'allow') yield 'The tool is new: the server did not have it when you allowed everything of it.'
}

function ask(
  parts: JudgeParts,
  { effect, about, decision }: Asked,
  { signal, onWaiting, question }: PassOptions,
): Promise<Answer> {
  const { session, principal, workspace } = about
  // What a model wants is judged as if it were others' wish; a person is only warned of it where others have spoken.
  const tainted = about.tainted && parts.holdsForeignText(session) !== false
  const { reason, byDefault } = decision
  const plain: QuestionBody = { kind: 'approval', effect, reason, warnings: [], ...(byDefault && { byDefault }) }
  const warnings = [...ofNewTool(parts, effect, about), ...warningsFor(effect, { ...about, tainted })]
  const body = withWarnings(question ?? plain, warnings)
  return parts.inbox.ask(
    {
      server: effect.server,
      session,
      ...(principal !== undefined && { principal: principal.id }),
      ...(workspace !== undefined && { workspace }),
      body,
    },
    { signal, onWaiting },
  )
}

/** While untrusted text is in the context, a remembered yes to something risky must have been meant for that. */
export function isSufficient(grant: Grant, effect: Effect, { tainted }: Circumstances): boolean {
  return grant.evenIfTainted === true || !tainted || !isRisky(effect)
}

async function remember(
  { grants, definition, onWarning }: JudgeParts,
  effect: Effect,
  answer: Answer,
  about: Circumstances,
): Promise<void> {
  try {
    // Whoever was told of untrusted text and says so for the future means it, unless they say otherwise.
    const { evenIfTainted = about.tainted && isRisky(effect) } = answer
    await grants.remember(effect, { ...answer, evenIfTainted }, about, definition(effect))
  } catch (error) {
    // The answer counts; that it is not remembered only asks again.
    callListener(
      onWarning,
      `An answer could not be remembered: ${error instanceof Error ? error.message : String(error)}`,
    )
  }
}

/** The same effect when nothing was changed. */
function withEdits<E extends Effect>(effect: E, { content }: Answer, question: QuestionBody | undefined): E {
  if (content === undefined || !('arguments' in effect) || question !== undefined) return effect
  if (toDigest(content) === toDigest(effect.arguments)) return effect
  return toFrozen({ ...effect, arguments: content })
}

function nameOf({ rule, reason }: Decision): string {
  return rule === undefined ? `default: ${reason}` : `rule: ${rule}`
}

function detailOf({ id }: Grant): { readonly detail: JsonObject } {
  return { detail: { grant: id } }
}

function surfaceOf({ by, remember }: Answer): JsonObject {
  return { ...(by !== undefined && { surface: by }), ...(remember !== undefined && { remember }) }
}
