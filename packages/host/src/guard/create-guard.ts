/**
 * The guard put together: an effect is judged (`judge.ts`), data on its way from one server to another is a judgement of
 * its own (`provenance.ts`), and both are written down before anything happens. What cannot be written down does not happen.
 */

import { randomUUID } from 'node:crypto'
import type { CallToolResult } from '@portico/sdk/client'
import { createPrincipal } from '@portico/sdk/server'
import type { AuditEntry, AuditSink } from '../audit/record.ts'
import { callListener } from '../config/call-listener.ts'
import { type Clock, systemClock } from '../consent/clock.ts'
import { describeGrant } from '../consent/grant.ts'
import type { Grants } from '../consent/grants.ts'
import type { Inbox, InboxEvent } from '../consent/inbox.ts'
import { HostError } from '../errors.ts'
import { type Counter, createCounter } from '../policy/counts.ts'
import type { Decision } from '../policy/decision.ts'
import type { Circumstances, Effect } from '../policy/effect.ts'
import { itemOf } from '../policy/facts.ts'
import type { Rules } from '../policy/rules.ts'
import { createDecisionTelemetry, type DecisionTelemetry, type DecisionTelemetryApi } from './decision-telemetry.ts'
import type { OpenGuard, PassOptions, Permit } from './guard.ts'
import { isSufficient, type Judgement, type JudgeParts, judge, MAX_ROUNDS } from './judge.ts'
import { loadOf, withLoad } from './load.ts'
import type { Provenance } from './provenance.ts'
import { ReadingTrust } from './reading-trust.ts'
import { decisionEntry, type FinalDecision, outcomeEntry, type Subject, subjectOf } from './records.ts'
import { Refusals } from './refusals.ts'
import { type ReviewParts, requireStillAllowed, showResult } from './result-review.ts'

/** Options of `createGuard`: what it decides by, whom it asks, and where it writes that down. */
export interface GuardOptions {
  /** A function, where rules may be replaced while the host runs. */
  readonly rules: Rules | (() => Rules)
  readonly inbox: Inbox
  readonly grants: Grants
  readonly audit: AuditSink
  readonly clock?: Clock
  /** The context of a session: follows data from server to server, before every call and by what passes `review`. */
  readonly flow?: (session: string) => Provenance
  /** `turn` (the default) also asks where data is in the conversation and not seen in the arguments. */
  readonly flowScope?: 'turn' | 'arguments'
  readonly counter?: Counter
  /** The fingerprint of the definition that an effect uses: a changed one voids what was approved for it. */
  readonly fingerprint?: (effect: Effect) => string | undefined
  /** When a server first listed what an effect uses: what came later is not in a yes to everything of the server. */
  readonly knownSince?: (effect: Effect) => number | undefined
  /** `deny` unless given: what cannot be written down does not happen. */
  readonly onAuditFailure?: 'deny' | 'continue'
  readonly onWarning?: (message: string) => void
  /** `await import('@opentelemetry/api')`: decisions become events of the active span, and are counted. */
  readonly telemetry?: DecisionTelemetryApi
}

/**
 * Makes the one place where it is decided whether something may happen: by rules, by what the person has said before,
 * or by asking them now. Every decision and what came of it is written to the audit log.
 *
 * @example
 * ```ts
 * import { createGuard } from '@portico/host/guard'
 * import { openAuditLog } from '@portico/host/audit'
 * import { createGrants, createInbox } from '@portico/host/consent'
 * import { createRules } from '@portico/host/policy'
 *
 * const audit = await openAuditLog({ file: 'audit.jsonl' })
 * const guard = createGuard({ rules: createRules(), inbox: await createInbox(), grants: await createGrants(), audit })
 * ```
 */
export function createGuard(options: GuardOptions): OpenGuard {
  return new HostGuard(options)
}

type FlowEffect = Effect & { readonly kind: 'flow' }

interface Settled<E extends Effect> extends Judgement<E> {
  /** Take back what was counted. */
  readonly counted: readonly (() => void)[]
}

class HostGuard implements OpenGuard {
  readonly #parts: JudgeParts
  readonly #reviewing: ReviewParts
  readonly #counter: Counter
  readonly #audit: AuditSink
  readonly #flow: GuardOptions['flow']
  readonly #byTurn: boolean
  readonly #failClosed: boolean
  readonly #telemetry: DecisionTelemetry | undefined
  readonly #stop: () => void

  constructor(options: GuardOptions) {
    const { rules, inbox, grants, clock = systemClock, counter = createCounter() } = options
    this.#counter = counter
    this.#audit = options.audit
    this.#flow = options.flow
    this.#byTurn = options.flowScope !== 'arguments'
    this.#failClosed = options.onAuditFailure !== 'continue'
    this.#telemetry = options.telemetry === undefined ? undefined : createDecisionTelemetry(options.telemetry)
    this.#parts = {
      holdsForeignText: (session) => options.flow?.(session).isTainted(),
      rules: typeof rules === 'function' ? rules : () => rules,
      counts: counter,
      grants,
      inbox,
      clock,
      definition: (effect) => ({ fingerprint: options.fingerprint?.(effect), since: options.knownSince?.(effect) }),
      refusals: new Refusals(),
      readingTrust: new ReadingTrust(),
      onWarning: options.onWarning ?? ((message) => process.emitWarning(message, { code: 'PORTICO_GUARD' })),
    }
    this.#reviewing = { ...this.#parts, append: (entry) => this.#append(entry) }
    this.#stop = inbox.on((event) => this.#onAnswer(event))
  }

  async pass<E extends Effect>(effect: E, circumstances: Circumstances, options: PassOptions = {}): Promise<Permit<E>> {
    const about = this.#withTrace(this.#withTaint(circumstances))
    const ref = randomUUID()
    const judgement = await this.#settle(effect, about, options, ref).catch(async (error) => {
      await this.#recordUndecided(effect, about, error, ref)
      throw error
    })
    if (!judgement.allowed) {
      await this.#record(judgement.effect, about, judgement, ref).catch(this.#warn)
      throw denied(judgement.effect, judgement)
    }
    try {
      return this.#permit(judgement, await this.#recordYes(judgement.effect, about, judgement, ref))
    } catch (error) {
      for (const undo of judgement.counted) undo()
      throw error
    }
  }

  async explain(
    effect: Effect,
    circumstances: Circumstances,
  ): Promise<Decision & { readonly considered: readonly string[] }> {
    const about = this.#withTaint(circumstances)
    const { considered: looked, ...decision } = this.#parts.rules().explain(effect, about, this.#counter)
    const considered = looked.map(({ rule, outcome, matches, unmet, shadow }) => {
      const kind = shadow ? `${outcome}, only watched` : outcome
      return `${rule} (${kind}): ${matches ? 'matches' : `does not match, ${unmet}`}`
    })
    const grant = this.#parts.grants.peek(effect, about, this.#parts.definition(effect))
    if (grant !== undefined) considered.push(`remembered: ${describeGrant(grant)}`)
    const flow = this.#flowOf(effect, about)
    if (flow !== undefined) {
      const { outcome, reason } = await this.explain(flow, circumstances)
      considered.push(`then, data from ${flow.from.join(', ')}: ${outcome}, ${reason}`)
    }
    if (grant?.action === 'deny' && decision.outcome !== 'deny') {
      return { ...decision, outcome: 'deny', reason: describeGrant(grant), considered }
    }
    if (decision.outcome !== 'ask') return { ...decision, considered }
    if (grant !== undefined && isSufficient(grant, effect, about)) {
      return { ...decision, outcome: 'allow', reason: describeGrant(grant), considered }
    }
    if (!about.unattended) return { ...decision, considered }
    return { ...decision, outcome: 'deny', reason: `Nobody is there to be asked. ${decision.reason}`, considered }
  }

  async review(
    effect: Effect,
    result: CallToolResult,
    circumstances: Circumstances,
    options: PassOptions = {},
  ): Promise<CallToolResult> {
    const about = this.#withTrace(circumstances)
    if (options.late === true) await requireStillAllowed(this.#reviewing, effect, about)
    const rule = this.#parts.rules().reviewer(effect, circumstances)
    const shown =
      rule === undefined ? result : await showResult(this.#reviewing, { effect, result, about, rule }, options)
    const trusted = effect.kind === 'call' && effect.trusted
    this.#flow?.(circumstances.session).note(effect.server, shown, { trusted })
    return shown
  }

  beginTurn(session: string): void {
    this.#parts.refusals.beginTurn(session)
  }

  endSession(session: string): void {
    for (const part of [this.#parts.refusals, this.#parts.readingTrust]) part.endSession(session)
  }

  close(): void {
    this.#stop()
  }

  /** Judges the effect and, where it sends something, the flow of data that it would be, until both hold for the same arguments. */
  async #settle<E extends Effect>(
    asked: E,
    circumstances: Circumstances,
    options: PassOptions,
    ref: string,
  ): Promise<Settled<E>> {
    const started = this.#parts.clock.now()
    let effect = asked
    for (let round = 0; ; round++) {
      const about = this.#later(circumstances, started)
      const judgement = await judge(this.#parts, effect, about, options)
      const refuse = (why: Partial<FinalDecision>): Settled<E> => ({
        ...judgement,
        ...why,
        allowed: false,
        counted: [],
      })
      if (!judgement.allowed) return refuse({})
      if (round >= MAX_ROUNDS) return refuse({ by: 'person', reason: 'It was changed too often.' })
      effect = judgement.effect
      const flow = this.#flowOf(effect, about)
      if (flow !== undefined) {
        const { signal, onWaiting } = options
        const passage = await judge(this.#parts, flow, about, { signal, onWaiting })
        if (!passage.allowed) {
          await this.#record(passage.effect, about, passage, ref).catch(this.#warn)
          return refuse({ by: passage.by, reason: passage.reason, decision: passage.decision })
        }
        await this.#recordYes(passage.effect, about, passage, ref)
        if (passage.effect !== flow) effect = withLoad(effect, passage.effect.arguments)
        if (passage.edited === true) continue
      }
      // While somebody was asked, rules may have changed, and counts may have been used up.
      const later = this.#later(circumstances, started)
      const now = this.#parts.rules().decide(effect, later, this.#counter)
      if (now.outcome === 'deny') return refuse({ by: 'rule', reason: now.reason, decision: now })
      if (now.outcome === 'ask' && judgement.by === 'rule') continue
      // Counted in the same breath as it was decided, so that no other comes between.
      return { ...judgement, effect, counted: this.#count(effect, later) }
    }
  }

  #flowOf(effect: Effect, { session, byHand, relayed }: Circumstances): FlowEffect | undefined {
    if (relayed === true && !hasFlowRules(this.#parts.rules())) return undefined
    const load = this.#flow === undefined ? undefined : loadOf(effect)
    if (this.#flow === undefined || load === undefined) return undefined
    const { server } = effect
    const { inArguments, inTurn } = this.#flow(session).sourcesOf(load, server)
    const others = (names: readonly string[]) => names.filter((name) => name !== server).sort()
    const seen = others(inArguments)
    const from = seen.length > 0 ? seen : this.#byTurn && byHand !== true ? others(inTurn) : []
    if (from.length === 0) return undefined
    return { kind: 'flow', server, from, tool: itemOf(effect), arguments: load, inArguments: seen.length > 0 }
  }

  #permit<E extends Effect>({ effect, decision, answer, reason }: Judgement<E>, subject: Subject): Permit<E> {
    const { clock } = this.#parts
    const startedAt = clock.now()
    let isOpen = true
    return {
      effect,
      // The permit is a yes, whoever said it.
      decision: { ...decision, outcome: 'allow', reason },
      ...(answer !== undefined && { answer }),
      finish: (outcome, detail) => {
        if (!isOpen) return
        isOpen = false
        const ending = { outcome, startedAt, at: clock.now(), ...(detail !== undefined && { reason: detail }) }
        // Whoever is to know has been told.
        void this.#append(outcomeEntry(subject, ending)).catch(() => {})
      },
    }
  }

  /** An answer for somebody who no longer waits holds for the next time. */
  #onAnswer(event: InboxEvent): void {
    if (event.type !== 'answered' || !event.orphan || event.question.body.kind !== 'approval') return
    const { question, answer } = event
    const { effect } = event.question.body
    const about: Circumstances = {
      session: question.session,
      ...(question.principal !== undefined && { principal: createPrincipal(question.principal) }),
      ...(question.workspace !== undefined && { workspace: question.workspace }),
      unattended: false,
      tainted: false,
      at: this.#parts.clock.now(),
    }
    const { grants, definition } = this.#parts
    const isOnce = answer.remember === undefined || answer.remember === 'once'
    if (isOnce && answer.action === 'allow') grants.keepOnce(effect, answer, about, definition(effect))
    else void grants.remember(effect, answer, about, definition(effect)).catch(this.#warn)
  }

  #count(effect: Effect, about: Circumstances): (() => void)[] {
    return this.#parts
      .rules()
      .counting(effect, about)
      .map(({ rule, per }) => this.#counter.add(rule, per, about))
  }

  #withTaint(circumstances: Circumstances): Circumstances {
    if (circumstances.tainted || circumstances.byHand === true || circumstances.relayed === true) return circumstances
    if (this.#flow?.(circumstances.session).isTainted() !== true) return circumstances
    return { ...circumstances, tainted: true }
  }

  /** A record names the trace that it is part of, if nobody has said another. */
  #withTrace(circumstances: Circumstances): Circumstances {
    const traceId = circumstances.traceId === undefined ? this.#telemetry?.traceId() : undefined
    return traceId === undefined ? circumstances : { ...circumstances, traceId }
  }

  /** The circumstances after a person has taken their time. */
  #later(about: Circumstances, started: number): Circumstances {
    const passed = this.#parts.clock.now() - started
    return passed > 0 ? { ...about, at: about.at + passed } : about
  }

  /** The asker left, or nobody could be asked. */
  async #recordUndecided(effect: Effect, about: Circumstances, error: unknown, ref: string): Promise<void> {
    const decision = this.#parts.rules().decide(effect, about, this.#counter)
    const reason = `Not decided: ${error instanceof Error ? error.message : String(error)}`
    await this.#record(effect, about, { allowed: false, decision, by: 'nobody', reason }, ref).catch(this.#warn)
  }

  async #record(effect: Effect, about: Circumstances, final: FinalDecision, ref: string): Promise<Subject> {
    // A no holds whether or not it can be written down; a yes does not.
    if (!final.allowed) this.#telemetry?.decided(effect, final, ref)
    const subject = subjectOf(effect, about, ref)
    await this.#append(decisionEntry(effect, about, final, { subject, at: this.#parts.clock.now() }))
    if (final.allowed) this.#telemetry?.decided(effect, final, ref)
    return subject
  }

  async #recordYes(effect: Effect, about: Circumstances, final: FinalDecision, ref: string): Promise<Subject> {
    try {
      return await this.#record(effect, about, final, ref)
    } catch (cause) {
      const message = 'It was allowed, but cannot be written down, and so does not happen'
      throw new HostError('denied', message, { cause, data: { reason: 'The audit log cannot be written' } })
    }
  }

  async #append(entry: AuditEntry): Promise<void> {
    try {
      await this.#audit.append(entry)
    } catch (error) {
      // What ends after the host has been closed is no failure of the log.
      if (!(error instanceof HostError && error.code === 'closed')) this.#warn(error)
      if (this.#failClosed) throw error
    }
  }

  readonly #warn = (error: unknown): void => {
    callListener(this.#parts.onWarning, error instanceof Error ? error.message : String(error))
  }
}

const FLOW_RULES = new WeakMap<Rules, boolean>()

function hasFlowRules(rules: Rules): boolean {
  const known = FLOW_RULES.get(rules)
  if (known !== undefined) return known
  const found = rules.rules.some(({ effect, from }) => from !== undefined || effect?.includes('flow') === true)
  FLOW_RULES.set(rules, found)
  return found
}

function denied({ kind, server }: Effect, { decision, reason, by }: FinalDecision): HostError {
  return new HostError('denied', `Not allowed: ${reason}`, {
    data: { ...(decision.rule !== undefined && { rule: decision.rule }), reason, by, effect: kind, server },
  })
}
