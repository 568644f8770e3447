/** The host of each person who talks to the bot: a state folder of its own, the operator's servers and rules, the person's answers. */

import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { createHost, type Host } from '@portico/host'
import type { PersonalHostWish } from '@portico/host/chat'
import { createInputs, type LoadedConfig } from '@portico/host/config'
import { createDocumentReader } from '@portico/servers/documents'
import { stateOf } from '../host-places.ts'
import { modelsOf } from '../own-models.ts'
import { secretStoreOf, secretsOf } from '../own-secrets.ts'
import { builtInServers } from '../target/built-in-servers.ts'
import type { Io } from '../terminal/io.ts'

/** The operator has chosen the servers; everything else is for rules, and for the person. */
const RULES = [
  { id: 'chat-bot: servers', outcome: 'allow', effect: 'connect', because: 'The operator configured it' },
] as const

/** Somebody's first message starts their servers: in a chat an answer with tools is worth the wait. */
const PATIENCE_MS = 20_000

export async function createHostOpener(
  config: LoadedConfig,
  adapter: string,
  io: Io,
): Promise<(wish: PersonalHostWish) => Promise<Host>> {
  const models = modelsOf(config, io)
  if (models.usable().length === 0) await models.findOllama()
  const inProcess = await builtInServers()
  const secrets = secretStoreOf(io)
  const readDocument = createDocumentReader()
  return ({ principal, userAgent }) => {
    const folder = createHash('sha256').update(principal.id).digest('hex').slice(0, 32)
    return createHost({
      stateDir: join(stateOf(io), 'chat', adapter, folder),
      env: io.env,
      workspace: io.cwd,
      config,
      inProcess,
      models,
      readDocument,
      principal,
      secrets: secretsOf(io, secrets),
      inputs: createInputs({ inputs: config.inputs, secrets }),
      rules: [...RULES],
      patienceMs: PATIENCE_MS,
      ...(userAgent !== undefined && { signIn: { userAgent } }),
      onWarning: (message) => io.say(`${io.paint.yellow('warning')}: ${message}`),
    })
  }
}
