/**
 * What servers ask of the host, answered in one place: forms and links go to whichever surface the user has open,
 * sampling to the desk, roots are what the user chose. All of it past the guard.
 */

import type { AskContext, ElicitResult, JsonObject, Root } from '@portico/sdk/client'
import type { ServerConfig } from '../config/server-config.ts'
import { inspectForm } from '../consent/form-inspection.ts'
import type { Inbox } from '../consent/inbox.ts'
import type { Answer, QuestionBody } from '../consent/question.ts'
import { inspectUrl } from '../consent/url-inspection.ts'
import type { Guard } from '../guard/guard.ts'
import type { Provenance } from '../guard/provenance.ts'
import type { SamplingDesk } from '../model/sampling.ts'
import type { Circumstances } from '../policy/effect.ts'
import { neutralise } from '../upstream/text.ts'
import type { QuestionHandlers } from '../upstream/upstream.ts'
import type { CallsInFlight } from './calls-in-flight.ts'
import type { ActOptions } from './options.ts'
import { toRoot } from './root.ts'

export interface QuestionParts {
  readonly guard: Guard
  readonly inbox: Inbox
  readonly desk: SamplingDesk
  readonly inFlight: CallsInFlight
  circumstances(options: ActOptions): Circumstances
  provenance(session: string): Provenance
}

/** Handlers for one server's connection. */
export function createQuestions(config: ServerConfig, parts: QuestionParts): QuestionHandlers {
  const { name: server, settings } = config
  const { guard, inbox, desk, inFlight } = parts
  const part = (): { act: ActOptions | undefined; circumstances: Circumstances } => {
    const act = inFlight.newest(server)
    return { act, circumstances: parts.circumstances(act ?? { session: `background:${server}`, byModel: true }) }
  }
  const ask = (body: QuestionBody, context: AskContext): Promise<Answer> => {
    const { act, circumstances } = part()
    const { session, principal, workspace } = circumstances
    const question = { server, session, principal: principal?.id, workspace, body }
    return inbox.ask(question, { signal: context.signal, onWaiting: act?.onWaiting })
  }
  return {
    elicitation: {
      async form(params, context): Promise<ElicitResult> {
        const { act, circumstances } = part()
        const permit = await guard.pass({ kind: 'elicit', server, mode: 'form' }, circumstances, {
          ...act,
          signal: context.signal,
        })
        const message = neutralise(params.message).text
        // The requested schema is JSON by its nature.
        const schema = params.requestedSchema as unknown as JsonObject
        const warnings = inspectForm(message, schema)
        const body = { kind: 'form', message, schema, ...(warnings.length > 0 && { warnings }) } as const
        const answer = circumstances.unattended ? CANCELLED : await ask(body, context)
        permit.finish(answer.action === 'allow' ? 'ok' : 'cancelled')
        return toElicitResult(answer)
      },
      async url(params, context): Promise<ElicitResult> {
        const { act, circumstances } = part()
        const { host, warnings, blocked, url } = inspectUrl(params.url)
        const permit = await guard.pass({ kind: 'elicit', server, mode: 'url', host }, circumstances, {
          ...act,
          signal: context.signal,
        })
        const message = neutralise(params.message).text
        const body = { kind: 'url', message, url, host, warnings } as const
        const answer = blocked || circumstances.unattended ? CANCELLED : await ask(body, context)
        permit.finish(answer.action === 'allow' ? 'ok' : 'cancelled')
        return { action: toElicitResult(answer).action }
      },
    },
    sampling: {
      tools: true,
      context: true,
      handler: (params, { signal }) => {
        const { act, circumstances } = part()
        return desk.answer({
          server,
          params,
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
    roots: () => shareRoots(config, guard, part().circumstances),
  }
}

/** Every configured root is a decision of its own; what is not allowed is not offered, and nothing else ever is. */
async function shareRoots(
  { name: server, settings }: ServerConfig,
  guard: Guard,
  circumstances: Circumstances,
): Promise<Root[]> {
  const shared: Root[] = []
  for (const configured of settings.roots) {
    const root = await toRoot(configured)
    if (root === undefined) continue
    try {
      const permit = await guard.pass({ kind: 'root', server, uri: root.uri }, circumstances)
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
