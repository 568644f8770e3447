/**
 * The host as commands use it: the user's own configuration and the project's, our state folder, the ready-made servers,
 * and questions in the terminal. Where nobody can be asked, what would ask is denied.
 */

import { createHost, type Host, type HostOptions } from '@portico/host'
import { createInputs } from '@portico/host/config'
import type { Answer, Question } from '@portico/host/consent'
import { createDocumentReader } from '@portico/servers/documents'
import { readConfig } from './configuration.ts'
import { readGatewaySettings } from './gateway/gateway-settings.ts'
import { openSharedState } from './gateway/gateway-state.ts'
import { stateOf } from './host-places.ts'
import { secretStoreOf, secretsOf } from './own-secrets.ts'
import { builtInServers } from './target/built-in-servers.ts'
import type { Io } from './terminal/io.ts'
import { createTerminalQuestions } from './terminal/questions.ts'
import { createTerminal, type Terminal } from './terminal/terminal.ts'

export { findServer, readConfig } from './configuration.ts'

export interface CliHostOptions {
  /** A configuration file in place of the usual ones. */
  readonly config?: string
  /** Only these servers are connected; all unless given. */
  readonly only?: readonly string[]
  /** The person has said yes to what this command itself does. */
  readonly yes?: boolean
  /** Nothing is asked, even where a person is there. */
  readonly unattended?: boolean
  readonly terminal?: Terminal
  /** It stays: what changed, and what a project brings along, is asked here, too. One act asks only what it needs. */
  readonly stays?: boolean
  readonly more?: Partial<HostOptions>
}

export async function openHost(io: Io, options: CliHostOptions = {}): Promise<Host> {
  const config = await readConfig(io, options.config)
  const stateDir = stateOf(io)
  const terminal = options.terminal ?? createTerminal(io)
  const questions = io.interactive ? createTerminalQuestions(io, terminal) : undefined
  const secrets = secretStoreOf(io)
  const ask = async (question: Question): Promise<Answer | undefined> =>
    (options.yes === true ? agree(question) : undefined) ??
    (options.stays === true || !STANDING.has(question.body.kind) ? questions?.ask(question) : undefined)
  const state = options.more?.state ?? (await openSharedState(readGatewaySettings(config).settings.state, io))?.shared
  const host = await createHost({
    stateDir,
    ...(state && { state }),
    env: io.env,
    workspace: io.cwd,
    config,
    ...(options.only !== undefined && { only: options.only }),
    inProcess: await builtInServers(),
    secrets: secretsOf(io, secrets),
    inputs: createInputs({
      inputs: config.inputs,
      secrets,
      ...(io.interactive && {
        ask: ({ description, password }) =>
          terminal.dialogue(() => terminal.ask(`${description}: `, { secret: password })),
      }),
    }),
    unattended: options.unattended === true || (!io.interactive && options.yes !== true),
    ask,
    readDocument: createDocumentReader(),
    onWarning: (message) => io.say(`${io.paint.yellow('warning')}: ${message}`),
    ...options.more,
  })
  host.inbox.on((event) => event.type !== 'asked' && questions?.drop(event.question.id))
  return host
}

/** Nobody waits for these: what they are about stays out of use, and whoever needs it is told what to do. */
const STANDING: ReadonlySet<Question['body']['kind']> = new Set(['definition', 'trust'])

/** `--yes` speaks for what the person has typed, and for nothing that a server comes up with by itself. */
function agree({ body }: Question): Answer | undefined {
  if (body.kind !== 'approval') return undefined
  const typed = ['connect', 'call', 'read', 'prompt'].includes(body.effect.kind)
  return typed ? { action: 'allow', by: 'command line' } : { action: 'deny', by: 'command line' }
}
