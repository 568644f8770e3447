/** What an editor may ask once it has said who it is: each method reads its params and goes to one door of the host. */

import type { ActOptions, Host } from '@portico/host'
import { formatProblem } from '@portico/host/config'
import { readAnswer } from '@portico/host/consent'
import type { JsonObject } from '@portico/sdk/client'
import { createByHand } from '../../web/answer-by-hand.ts'
import { flag, list, object, oneOf, optional, ParamsError, readParams, text, texts } from '../../web/http/params.ts'
import { toPlain } from '../terminal/plain-text.ts'
import { FAILED, PeerError } from './line-peer.ts'
import type { Tell } from './news.ts'
import type { HostMethods } from './protocol.ts'
import { itemPage, serverRows } from './rows.ts'
import { digestOf, toShownQuestion } from './shown-question.ts'
import type { Turns } from './turns.ts'

export interface MethodCall {
  readonly id: string | number
  readonly signal: AbortSignal
}

type Handler<Name extends keyof HostMethods> = (
  params: JsonObject,
  call: MethodCall,
) => Promise<HostMethods[Name]['result']> | HostMethods[Name]['result']

type Handlers = { readonly [Name in Exclude<keyof HostMethods, 'initialize' | 'shutdown'>]: Handler<Name> }

interface MethodParts {
  readonly host: Host
  readonly turns: Turns
  /** Under what name answers are remembered: the editor's. */
  readonly by: string
  readonly tell: Tell
  openPage(url: URL): Promise<boolean>
}

const KINDS = ['tool', 'resource', 'template', 'prompt'] as const
const ACTIONS = ['enable', 'disable', 'restart', 'sign-in'] as const
/** Whatever is done by hand is one session. */
const SESSION = 'editor'
const MAX_NAME = 200

const nameText = (value: unknown, name: string): string => {
  const read = text(value, name)
  if (read === '' || read.length > MAX_NAME)
    throw new ParamsError(`"${name}" must be a text of 1 to ${MAX_NAME} characters`)
  return read
}

export function createMethods(parts: MethodParts): Handlers {
  return {
    ...serverMethods(parts),
    ...actMethods(parts),
    ...questionMethods(parts),
    ...taskMethods(parts),
    ...turnMethods(parts),
  }
}

function serverMethods({ host }: MethodParts): Pick<Handlers, 'servers/list' | 'servers/set' | 'items/list'> {
  return {
    'servers/list': () => ({
      servers: serverRows(host),
      problems: host.problems.map((problem) => toPlain(formatProblem(problem))),
    }),
    'servers/set': async (params) => {
      const { server, action } = readParams(params, { server: text, action: oneOf(ACTIONS) })
      if (host.upstreams.config(server) === undefined)
        throw new PeerError(FAILED, 'There is no such server', { code: 'unknown-server' })
      if (action === 'sign-in') await host.signIn(server)
      else await host.upstreams[action](server)
      return {}
    },
    'items/list': async (params, { signal }) => {
      const kind = optional(oneOf(KINDS))
      const wish = readParams(params, { kind, server: optional(text), query: optional(text), cursor: optional(text) })
      await host.catalogue.list({ signal })
      return itemPage(host, wish)
    },
  }
}

/** What a person does by hand: what they have before them in a form, they have decided. */
function actMethods(parts: MethodParts): Pick<Handlers, 'tools/call' | 'resources/read' | 'prompts/get'> {
  const { host } = parts
  return {
    'tools/call': async (params, call) => {
      const {
        name,
        arguments: args,
        task,
      } = readParams(params, { name: text, arguments: object, task: optional(flag) })
      if (task !== true) {
        const { server, result } = await host.call(name, args, byHand(parts, call))
        return { server, result }
      }
      const started = await host.callAsTask(name, args, byHand(parts, call))
      return started.task === undefined ? { server: started.server, result: started.result } : { task: started.task }
    },
    'resources/read': async (params, call) => {
      const { server, result } = await host.read(readParams(params, { uri: text }).uri, byHand(parts, call))
      return { server, contents: result.contents }
    },
    'prompts/get': async (params, call) => {
      const { name, arguments: args } = readParams(params, { name: text, arguments: texts })
      const { server, result } = await host.prompt(name, args, byHand(parts, call))
      const { description, messages } = result
      return { server, ...(description !== undefined && { description }), messages }
    },
  }
}

function byHand({ host, tell, by }: MethodParts, { id, signal }: MethodCall): ActOptions {
  return {
    session: SESSION,
    signal,
    onProgress: (progress) => tell('progress', { id, ...progress }, `progress:${id}`),
    onWaiting: createByHand(host.inbox, by),
  }
}

function questionMethods({ host, by, openPage }: MethodParts): Pick<Handlers, 'questions/list' | 'questions/answer'> {
  return {
    'questions/list': () => ({ questions: host.inbox.pending().map(toShownQuestion) }),
    'questions/answer': (params) => {
      const { id, digest, answer } = readParams(params, { id: text, digest: text, answer: object })
      const read = readAnswer(answer)
      if (typeof read === 'string') throw new ParamsError(`The answer cannot be used: ${read}`)
      const question = host.inbox.pending().find((one) => one.id === id)
      if (question === undefined)
        throw new PeerError(FAILED, 'Nobody waits for this answer any more', { code: 'already-settled' })
      if (digestOf(question) !== digest)
        throw new PeerError(FAILED, 'This is not the question that was shown', { code: 'not-what-was-shown' })
      const receipt = host.inbox.answer(id, { ...read, by })
      if (receipt !== 'accepted') throw new PeerError(FAILED, 'The answer was not taken', { code: receipt })
      const { body } = question
      if (body.kind === 'url' && read.action === 'allow' && URL.canParse(body.url)) void openPage(new URL(body.url))
      return {}
    },
  }
}

function taskMethods(
  parts: MethodParts,
): Pick<Handlers, 'tasks/list' | 'tasks/result' | 'tasks/cancel' | 'tasks/forget'> {
  const { host } = parts
  const labelIn = (params: JsonObject): string => readParams(params, { label: text }).label
  return {
    'tasks/list': async () => ({ tasks: await host.tasks.list() }),
    'tasks/result': async (params, call) => {
      const { server, result } = await host.tasks.result(labelIn(params), byHand(parts, call))
      return { server, result }
    },
    'tasks/cancel': async (params) => {
      await host.tasks.cancel(labelIn(params))
      return {}
    },
    'tasks/forget': async (params) => {
      await host.tasks.forget(labelIn(params))
      return {}
    },
  }
}

function turnMethods({
  host,
  turns,
}: MethodParts): Pick<Handlers, 'models/list' | 'turn/start' | 'turn/proceed' | 'conversation/close'> {
  return {
    'models/list': () => ({
      models: host.models
        .list()
        .map(({ id, usable, remedy }) => ({ id, usable, ...(remedy !== undefined && { remedy }) })),
    }),
    'turn/start': (params, { signal }) => {
      const { conversation, ...message } = readParams(params, {
        conversation: nameText,
        text,
        model: optional(text),
        attach: optional(list(text)),
      })
      return turns.start(conversation, message, signal)
    },
    'turn/proceed': (params, { signal }) =>
      turns.proceed(readParams(params, { conversation: nameText }).conversation, signal),
    'conversation/close': (params) => {
      turns.close(readParams(params, { conversation: nameText }).conversation)
      return {}
    },
  }
}
