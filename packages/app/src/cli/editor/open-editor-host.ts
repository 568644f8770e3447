/** The host of an editor: the user's own configuration and the project's, with what the editor brings along. */

import { createHost, type Host } from '@portico/host'
import { createInputs, defineServer, firstSecret, type SecretStore } from '@portico/host/config'
import { openBrowser } from '@portico/sdk/auth-node'
import { createDocumentReader } from '@portico/servers/documents'
import { readConfig } from '../configuration.ts'
import { stateOf } from '../host-places.ts'
import { modelsOf } from '../own-models.ts'
import { secretStoreOf, secretsOf } from '../own-secrets.ts'
import { builtInServers } from '../target/built-in-servers.ts'
import type { Io } from '../terminal/io.ts'
import { type AskEditor, EDITOR_SERVER } from './editor-server.ts'
import type { EditorSetup } from './session.ts'

export async function openEditorHost(
  io: Io,
  file: string | undefined,
  { offers, server, ask }: EditorSetup,
): Promise<Host> {
  const config = await readConfig(io, file)
  const own = secretStoreOf(io)
  const kept = offers.includes('secrets') ? editorSecrets(ask) : own
  const inProcess = new Map(await builtInServers())
  if (server !== undefined) inProcess.set(EDITOR_SERVER, async () => ({ server }))
  const target = { kind: 'in-process', module: EDITOR_SERVER, options: {} } as const
  return createHost({
    stateDir: stateOf(io),
    env: io.env,
    workspace: io.cwd,
    config,
    watch: true,
    models: modelsOf(config, io),
    // Text of files may be anybody's: what the editor shows is no more trusted than another server.
    servers: server === undefined ? [] : [defineServer(EDITOR_SERVER, target)],
    inProcess,
    secrets: firstSecret(secretsOf(io, own), kept),
    inputs: createInputs({
      inputs: config.inputs,
      secrets: kept,
      ...(offers.includes('input') && { ask: (input) => askInput(ask, input) }),
    }),
    reviewSampling: true,
    readDocument: createDocumentReader(),
    signIn: { openPage: async (page) => (offers.includes('page') ? openInEditor(ask, page) : openBrowser(page)) },
    onWarning: (message) => io.say(`warning: ${message}`),
  })
}

async function openInEditor(ask: AskEditor, page: URL): Promise<boolean> {
  const answer = await ask('editor/page', { url: page.href })
  return (answer as { readonly opened?: unknown }).opened === true
}

interface AskedInput {
  readonly id: string
  readonly description: string
  readonly password: boolean
  readonly options?: readonly string[]
}

async function askInput(
  ask: AskEditor,
  { id, description, password, options }: AskedInput,
): Promise<string | undefined> {
  const asked = { id, description, password, ...(options !== undefined && { options }) }
  return textIn(await ask('editor/input', asked))
}

/** The editor's own store, where it has one: what a person types there is kept there. */
function editorSecrets(ask: AskEditor): SecretStore {
  return {
    get: async (name) => textIn(await ask('editor/secret', { name })),
    set: async (name, value) => void (await ask('editor/keep-secret', { name, value })),
    delete: async (name) => {
      const known = textIn(await ask('editor/secret', { name })) !== undefined
      await ask('editor/keep-secret', { name, value: null })
      return known
    },
    list: async () => [],
  }
}

function textIn(answer: unknown): string | undefined {
  const { value } = (answer ?? {}) as { readonly value?: unknown }
  return typeof value === 'string' ? value : undefined
}
