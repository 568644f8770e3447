/**
 * The workbench put together: a host with its servers, what the page works with, and the web server that the page is
 * opened from. `portico start` and `npm start` call this; so does whoever embeds it.
 */

import { existsSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createHost, type Host, type HostOptions } from '@portico/host'
import { type ConfigFile, configFiles, configFolder, type ServerConfig, stateFolder } from '@portico/host/config'
import type { Models } from '@portico/host/model'
import { createRules } from '@portico/host/policy'
import type { InProcessFactory } from '@portico/host/upstream'
import { isLoopbackHost, openBrowser } from '@portico/sdk/auth-node'
import type { JsonObject } from '@portico/sdk/client'
import { createDocumentReader } from '@portico/servers/documents'
import { callHandler, createHandlers } from './api-handlers/handlers.ts'
import { createBuiltIns, createFactories } from './built-in.ts'
import { ChatStore } from './chat/chat-store.ts'
import { Chats } from './chat/chats.ts'
import { tourModel } from './chat/tour.ts'
import { AddedModels, WorkbenchModels } from './chat/workbench-models.ts'
import { forwardEvents } from './forward-events.ts'
import { History } from './history.ts'
import { toFailure } from './http/failure.ts'
import { serveWeb, type WebServer } from './http/http.ts'
import { fromSavedSessions, type KnownSession } from './http/page-access.ts'
import { readStaticFiles } from './http/static-files.ts'
import { fromSavedRules, OwnRules } from './own-rules.ts'
import { ownVersion } from './own-version.ts'
import { ResourceWatches } from './resource-watches.ts'
import { announceRunning, createLinkKey } from './running-workbench.ts'
import { Runs } from './runs.ts'
import { SavedJson } from './saved-json.ts'
import { OwnFile } from './servers/own-file.ts'
import { ProcessTable } from './servers/process-table.ts'
import { registryUrl } from './servers/registry.ts'
import { ServerCards } from './servers/server-cards.ts'
import { ServerLogs } from './servers/server-logs.ts'
import { SignInPages } from './servers/sign-in-pages.ts'
import { MessageLog } from './timeline/message-log.ts'
import { Recordings } from './timeline/recordings.ts'
import type { WorkbenchServices } from './workbench-services.ts'

export interface WorkbenchOptions {
  /** Where everything is kept; the user's own state folder unless given. */
  readonly stateDir?: string
  /** The user's `portico.json`; in their configuration folder unless given. */
  readonly configFile?: string
  /** The project folder whose own files count once they are trusted. */
  readonly workspace?: string
  /** The address to listen on; 127.0.0.1 unless given. Anything else lets other machines knock. */
  readonly address?: string
  /** Names besides the address under which the page may be opened. */
  readonly names?: readonly string[]
  /** Any free one unless given. */
  readonly port?: number
  /** Taken where it is free: a page that is open finds the program again there. */
  readonly preferredPort?: number
  /** The built page; the one that comes with the program unless given. */
  readonly page?: string
  /** The registry that is searched; `PORTICO_REGISTRY_URL` or the official one unless given. */
  readonly registryUrl?: string
  readonly env?: { readonly [name: string]: string | undefined }
  readonly home?: string
  /** Servers besides those of the files and those built in. */
  readonly servers?: readonly ServerConfig[]
  readonly inProcess?: ReadonlyMap<string, InProcessFactory>
  /** Which of the servers that come with the program are there from the start; all of them unless given. */
  readonly builtIns?: readonly string[]
  readonly models?: (options: { readonly env: { readonly [name: string]: string | undefined } }) => Models
  /** Milliseconds between two words of the tour. */
  readonly tourPaceMs?: number
  /** Follows the configuration files. On unless false. */
  readonly watch?: boolean
  /** Everything else that the host can be told. */
  readonly hostOptions?: Pick<
    HostOptions,
    'signIn' | 'upstreams' | 'reviewSampling' | 'maxTools' | 'secrets' | 'inputs' | 'tasks'
  >
  readonly onWarning?: (message: string) => void
}

export interface Workbench {
  /** A link that opens the page once. */
  readonly url: string
  /** The address without a token. */
  readonly origin: string
  readonly host: Host
  /** Another link. */
  link(): string
  close(): Promise<void>
}

export async function startWorkbench(options: WorkbenchOptions = {}): Promise<Workbench> {
  const { env = process.env, home = homedir(), onWarning = () => {} } = options
  const platform = process.platform
  const stateDir = options.stateDir ?? stateFolder(env, platform, home)
  const configFile = options.configFile ?? join(configFolder({ env, platform, home }), 'portico.json')
  const saved = <T>(name: string, read: (value: unknown) => T | undefined, empty: T) =>
    SavedJson.open({ file: join(stateDir, name), read, empty, onWarning })
  const [disabled, rules, sessions] = await Promise.all([
    saved<readonly string[]>('disabled.json', fromNames, []),
    saved<readonly JsonObject[]>('rules.json', fromSavedRules, []),
    saved<readonly KnownSession[]>('sessions.json', fromSavedSessions, []),
  ])
  const off = new Set(disabled.value)
  const builtIns = await createBuiltIns(stateDir, off, options.builtIns)
  const given = (options.servers ?? []).map((server) => withDisabled(server, off))
  const ownServers: ServerConfig[] = []
  const models = options.models?.({ env }) ?? new WorkbenchModels({ env, secrets: options.hostOptions?.secrets })
  const signInPages = new SignInPages(options.hostOptions?.signIn?.openPage ?? openBrowser)
  const host = await createHost({
    // Somebody is there to look at what a model says before a server gets it.
    reviewSampling: true,
    readDocument: createDocumentReader(),
    ...options.hostOptions,
    signIn: { ...options.hostOptions?.signIn, openPage: signInPages.openPage },
    stateDir,
    env,
    models,
    onWarning,
    servers: ownServers,
    inProcess: new Map([...createFactories(), ...(options.inProcess ?? [])]),
    configFiles: filesFor(configFile, { platform, env, home, project: options.workspace }),
    rules: usableRules(rules.value, onWarning),
    watch: options.watch !== false,
    ...(options.workspace !== undefined && { workspace: options.workspace }),
  })
  const messages = new MessageLog()
  host.upstreams.on('message', (message) => messages.add(message))
  host.upstreams.on('lost', (lost) => messages.lose(lost))
  try {
    // Only now, so that the timeline has what they say first.
    ownServers.push(...builtIns.filter(({ name }) => !given.some((one) => one.name === name)), ...given)
    await host.reload()
    const kept = { stateDir, configFile, disabled, rules, sessions, messages }
    return await open(options, { ...kept, host, ownServers, signInPages, models, env, home })
  } catch (error) {
    await host.close()
    throw error
  }
}

interface Opened {
  readonly host: Host
  readonly stateDir: string
  readonly configFile: string
  readonly disabled: SavedJson<readonly string[]>
  readonly rules: SavedJson<readonly JsonObject[]>
  readonly sessions: SavedJson<readonly KnownSession[]>
  readonly ownServers: ServerConfig[]
  readonly signInPages: SignInPages
  readonly models: Models
  readonly messages: MessageLog
  readonly env: { readonly [name: string]: string | undefined }
  readonly home: string
}

async function open(options: WorkbenchOptions, opened: Opened): Promise<Workbench> {
  const { host, stateDir, sessions } = opened
  const { address, onWarning = () => {} } = options
  if (address !== undefined && !isLoopbackHost(address)) {
    onWarning(`${address} can be reached from other machines; whoever has a link can use everything`)
  }
  let web: WebServer | undefined
  const [services, files] = await Promise.all([
    openServices(options, opened, (event) => web?.emit(event)),
    readStaticFiles(options.page ?? pageFolder()).catch(() => new Map()),
  ])
  const handlers = createHandlers(services)
  const linkKey = createLinkKey()
  web = await serveWeb({
    files,
    answer: (method, params, signal) => callHandler(handlers, method, params, signal),
    toFailure,
    host: address,
    names: options.names,
    port: options.port,
    preferredPort: options.preferredPort,
    sessions,
    linkKey,
  })
  const served = web
  const news = forwardEvents(services, () => served.pages > 0)
  const takeDown = await announceRunning(stateDir, served.origin, linkKey).catch(() => async () => {})
  let closing: Promise<void> | undefined
  const close = async (): Promise<void> => {
    await takeDown()
    await served.close()
    services.runs.close()
    news.close()
    await closeServices(services, opened)
    await host.close()
  }
  return {
    url: served.link(),
    origin: served.origin,
    host,
    link: () => served.link(),
    close: () => {
      closing ??= close()
      return closing
    },
  }
}

async function openServices(
  options: WorkbenchOptions,
  opened: Opened,
  emit: WorkbenchServices['emit'],
): Promise<WorkbenchServices> {
  const { host, stateDir, configFile, disabled, ownServers, signInPages, models, messages, env, home } = opened
  const { workspace, onWarning = () => {} } = options
  const [history, addedModels, store] = await Promise.all([
    History.open(join(stateDir, 'history.json'), onWarning),
    AddedModels.open(models, join(stateDir, 'models.json'), onWarning),
    ChatStore.open(join(stateDir, 'chats'), onWarning),
  ])
  const tour = tourModel(stateDir, options.tourPaceMs ?? 25)
  models.add(tour.config, tour.fetch)
  signInPages.onNews = (server) => emit({ type: 'sign-in', server })
  const runs = new Runs({ host, history, emit })
  return {
    host,
    info: {
      version: ownVersion(),
      node: process.versions.node,
      stateDir,
      configFile,
      ...(workspace !== undefined && { workspace }),
    },
    env,
    places: { env, home, project: workspace },
    registryUrl: options.registryUrl ?? registryUrl(env, onWarning),
    ownServers,
    disabled,
    ownFile: new OwnFile(configFile, host),
    cards: new ServerCards(host, new ProcessTable()),
    logs: new ServerLogs(host.upstreams, ({ server, level, source, text }) => {
      const run = runs.of(server)
      emit({ type: 'log', ...(run !== undefined && { run }), server, level: level ?? source, text })
    }),
    signInPages,
    runs,
    history,
    watches: new ResourceWatches(host, emit),
    chats: new Chats({ host, store, stateDir, emit, onWarning }),
    models: addedModels,
    messages,
    recordings: new Recordings(join(stateDir, 'recordings'), host),
    rules: new OwnRules(host, opened.rules),
    emit,
  }
}

/** Ends what still runs, and waits until everything is written. */
async function closeServices(services: WorkbenchServices, { disabled, rules, sessions }: Opened): Promise<void> {
  services.logs.close()
  await services.chats.close()
  await services.recordings.stop()
  await services.watches.close()
  await Promise.all([
    services.history.close(),
    services.models.close(),
    disabled.flush(),
    rules.flush(),
    sessions.flush(),
  ])
}

/** A project's own files and the user's own; those of other programs can be imported, and are not read by themselves. */
function filesFor(configFile: string, query: Parameters<typeof configFiles>[0]): readonly ConfigFile[] {
  const projects = configFiles(query).filter(({ scope }) => scope === 'project')
  return [...projects, { path: configFile, form: 'portico', scope: 'user' }]
}

/** Rules that cannot be read any more must not keep the program from starting: without them, everything asks. */
function usableRules(rules: readonly JsonObject[], onWarning: (message: string) => void): readonly JsonObject[] {
  try {
    createRules([...rules])
    return rules
  } catch (error) {
    onWarning(`The rules of the workbench are left out: ${error instanceof Error ? error.message : error}`)
    return []
  }
}

function withDisabled(server: ServerConfig, off: ReadonlySet<string>): ServerConfig {
  if (!off.has(server.name)) return server
  return { ...server, settings: { ...server.settings, disabled: true } }
}

function fromNames(value: unknown): readonly string[] | undefined {
  return Array.isArray(value) ? value.filter((one) => typeof one === 'string') : undefined
}

/** Beside this file in the built package, in its own workspace while it is developed. */
function pageFolder(): string {
  const built = fileURLToPath(new URL('../ui/', import.meta.url))
  return existsSync(join(built, 'index.html')) ? built : fileURLToPath(new URL('../../../ui/dist/', import.meta.url))
}
