/**
 * What servers ask of the host, answered in one place: forms and links go to whichever surface the user has open,
 * sampling to the models, roots are what the user chose. All of it past the guard.
 */

import type { AskContext, ElicitFormParams, ElicitResult, JsonObject, Root } from '@portico/sdk/client'
import type { ServerConfig } from '../config/server-config.ts'
import { inspectForm } from '../consent/form-inspection.ts'
import type { Inbox } from '../consent/inbox.ts'
import type { Answer, QuestionBody } from '../consent/question.ts'
import { inspectUrl } from '../consent/url-inspection.ts'
import { toClean } from '../guard/foreign-text.ts'
import type { Guard } from '../guard/guard.ts'
import type { Provenance } from '../guard/provenance.ts'
import type { ServerSampling } from '../model/sampling.ts'
import type { Circumstances, Effect } from '../policy/effect.ts'
import type { QuestionHandlers } from '../upstream/upstream.ts'
import type { CallsInFlight } from './calls-in-flight.ts'
import type { ActOptions } from './options.ts'
import { toRoot } from './root.ts'

interface QuestionParts {
  readonly guard: Guard
  readonly inbox: Inbox
  readonly sampling: ServerSampling
  readonly inFlight: CallsInFlight
  circumstances(options: ActOptions): Circumstances
  provenance(session: string): Provenance
}

/** One question of a server's: what it is part of, and until when an answer is wanted. */
interface Asked {
  readonly act: ActOptions | undefined
  readonly circumstances: Circumstances
  readonly signal: AbortSignal
}

type ElicitEffect = Effect & { readonly kind: 'elicit' }
type Elicit = (effect: ElicitEffect, body: QuestionBody | undefined, asked: Asked) => Promise<ElicitResult>

/** Handlers for one server's connection. */
export function createQuestions(config: ServerConfig, parts: QuestionParts): QuestionHandlers {
  const { name: server, settings } = config
  const { guard, sampling, inFlight } = parts
  /** Ends with the server's own wish for an answer, or with the call that the question was asked in. */
  const askedIn = (context: AskContext): Asked => {
    const { act, signal } = inFlight.causeOf(server, context)
    return {
      act,
      circumstances: parts.circumstances(act ?? { session: `background:${server}`, byModel: true }),
      signal: signal === undefined ? context.signal : AbortSignal.any([context.signal, signal]),
    }
  }
  const elicit: Elicit = (effect, body, asked) => askPerson({ ...parts, server }, effect, body, asked)
  return {
    elicitation: createElicitation(server, elicit, askedIn),
    sampling: {
      tools: true,
      context: true,
      handler: (params, context) => {
        const { act, circumstances, signal } = askedIn(context)
        return sampling.answer({
          server,
          params: toClean(params),
          background: act === undefined,
          circumstances,
          settings: settings.sampling,
          signal,
          onWaiting: act?.onWaiting,
          context: (scope) =>
            parts.provenance(circumstances.session).wordsOf(scope === 'thisServer' ? server : undefined),
        })
      },
    },
    roots: (context) => shareRoots(config, guard, askedIn(context)),
  }
}

/** Puts a form or a link to whoever is there, past the guard. What may not be shown, or to nobody, is cancelled. */
async function askPerson(
  { server, guard, inbox }: QuestionParts & { readonly server: string },
  effect: ElicitEffect,
  body: QuestionBody | undefined,
  { act, circumstances, signal }: Asked,
): Promise<ElicitResult> {
  const { session, principal, workspace, unattended } = circumstances
  const onWaiting = act?.onWaiting
  const permit = await guard.pass(effect, circumstances, { onWaiting, signal })
  const question = { server, session, principal: principal?.id, workspace }
  const isAsked = body !== undefined && !unattended
  const answer = isAsked ? await inbox.ask({ ...question, body }, { signal, onWaiting }) : CANCELLED
  permit.finish(answer.action === 'allow' ? 'ok' : 'cancelled')
  return toElicitResult(answer)
}

function createElicitation(
  server: string,
  elicit: Elicit,
  askedIn: (context: AskContext) => Asked,
): NonNullable<QuestionHandlers['elicitation']> {
  return {
    form(params, context): Promise<ElicitResult> {
      // What is sent back must be what was shown: a form that hides something in its names is not shown.
      const { message, requestedSchema } = toClean(params)
      const isShown = namesIn(params.requestedSchema).every((name) => toClean(name) === name)
      // The requested schema is JSON by its nature.
      const schema = requestedSchema as unknown as JsonObject
      const warnings = inspectForm(message, schema)
      const body = { kind: 'form', message, schema, ...(warnings.length > 0 && { warnings }) } as const
      return elicit({ kind: 'elicit', server, mode: 'form' }, isShown ? body : undefined, askedIn(context))
    },
    async url(params, context): Promise<ElicitResult> {
      const { host, warnings, blocked, url } = inspectUrl(params.url)
      const { message } = toClean(params)
      const body = { kind: 'url', message, url, host, warnings } as const
      const effect = { kind: 'elicit', server, mode: 'url', host } as const
      const { action } = await elicit(effect, blocked ? undefined : body, askedIn(context))
      return { action }
    },
  }
}

/** What an answer repeats of a form: the names of its fields, and the values to choose from. */
function namesIn({ properties }: ElicitFormParams['requestedSchema']): string[] {
  return Object.entries(properties).flatMap(([name, field]) => [name, ...choicesIn(field)])
}

/** Choices are listed as values, or as titled constants, below the field or below its items. */
function choicesIn(schema: unknown): string[] {
  if (typeof schema !== 'object' || schema === null) return []
  const { enum: values, const: constant, oneOf, anyOf, items } = schema as { readonly [member: string]: unknown }
  const own = [constant, ...(Array.isArray(values) ? values : [])].filter((one) => typeof one === 'string')
  const below = [oneOf, anyOf].flatMap((list) => (Array.isArray(list) ? list : []))
  return [...own, ...[...below, items].flatMap(choicesIn)]
}

/** Every configured root is a decision of its own; what is not allowed is not offered, and nothing else ever is. */
async function shareRoots(
  { name: server, settings }: ServerConfig,
  guard: Guard,
  { circumstances, signal }: Asked,
): Promise<Root[]> {
  const shared: Root[] = []
  for (const configured of settings.roots) {
    const root = await toRoot(configured)
    if (root === undefined) continue
    try {
      const permit = await guard.pass({ kind: 'root', server, uri: root.uri }, circumstances, { signal })
      permit.finish('ok')
      shared.push(root)
    } catch {
      // Denied: the server learns nothing of it, not even that there was something to deny.
    }
  }
  return shared
}

const CANCELLED: Answer = { action: 'cancel' }

function toElicitResult({ action, content }: Answer): ElicitResult {
  if (action === 'cancel') return { action: 'cancel' }
  if (action === 'deny') return { action: 'decline' }
  // The client checks it against the schema before the server sees it.
  return { action: 'accept', content: content as ElicitResult['content'] }
}
