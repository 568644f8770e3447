/** `servers.*`: what is connected, and everything that can be done about it. */

import { LOG_LEVELS, type ServerConfig } from '@portico/host/config'
import { signOutOf } from '../../access/sign-out.ts'
import { BUILT_IN_FILE } from '../built-in.ts'
import { examine } from '../doctor/doctor.ts'
import { Refused } from '../http/failure.ts'
import { flag, has, list, object, oneOf, optional, readParams, text } from '../http/params.ts'
import { findImportable, readImportable } from '../servers/importable.ts'
import { inFolder, type Pasted, previewPasted, readEntry, readPasted } from '../servers/own-file.ts'
import { searchRegistry } from '../servers/registry.ts'
import type { HandlersOf, WorkbenchServices } from '../workbench-services.ts'

type ServerHandlers = HandlersOf<'servers.'>
type AddingHandlers = Pick<
  ServerHandlers,
  'servers.add' | 'servers.preview' | 'servers.importable' | 'servers.import' | 'servers.registry'
>

export function serverHandlers(services: WorkbenchServices): ServerHandlers {
  const { host } = services
  return {
    ...addingHandlers(services),
    'servers.list': async () => ({ servers: await services.cards.all(), problems: host.problems }),
    'servers.remove': async (params) => {
      const { server } = readParams(params, { server: text })
      await remove(services, findConfig(services, server))
      return {}
    },
    'servers.set': async (params) => {
      const { server, action } = readParams(params, {
        server: text,
        action: oneOf(['enable', 'disable', 'restart', 'sign-in', 'sign-out']),
      })
      await ACTIONS[action](services, findConfig(services, server))
      return {}
    },
    'servers.tune': async (params) => {
      const { server, roots, logLevel } = readParams(params, {
        server: text,
        roots: optional(list(text)),
        logLevel: optional(oneOf(LOG_LEVELS)),
      })
      findConfig(services, server)
      if (has(params, 'roots')) await host.setRoots(server, roots)
      if (has(params, 'logLevel')) await host.setLogLevel(server, logLevel)
      return {}
    },
    'servers.trust': async (params) => {
      const { file, trusted } = readParams(params, { file: text, trusted: flag })
      await setTrust(services, file, trusted)
      return {}
    },
    'servers.doctor': async (params, signal) => {
      const { server } = readParams(params, { server: text })
      return { checks: await examine({ host, config: findConfig(services, server), env: services.env, signal }) }
    },
    'servers.logs': (params) => {
      const { server } = readParams(params, { server: text })
      findConfig(services, server)
      return { lines: services.logs.of(server, host.upstreams.view(server)?.stderrTail) }
    },
    'servers.oauth': (params) => {
      const { server } = readParams(params, { server: text })
      const page = services.signInPages.of(server)
      return { steps: host.signInSteps(server), ...(page !== undefined && { page }) }
    },
  }
}

/** The ways to come by a server: an entry, pasted text, another program's file, the registry. */
function addingHandlers({ host, ownFile, places, registryUrl }: WorkbenchServices): AddingHandlers {
  const folder = places.project ?? process.cwd()
  const add = (pasted: Pasted) => ownFile.add(inFolder(pasted, folder))
  return {
    'servers.add': async (params) => {
      const {
        name,
        entry,
        text: pasted,
      } = readParams(params, {
        name: optional(text),
        entry: optional(object),
        text: optional(text),
      })
      if (entry !== undefined && name !== undefined && name !== '') return add(readEntry(name, entry))
      if (pasted !== undefined) return add(readPasted(pasted, name === '' ? undefined : name))
      throw new Refused(400, { code: 'bad-request', message: 'Give a name and an entry, or the text of some' })
    },
    'servers.preview': (params) => previewPasted(readParams(params, { text }).text, folder),
    'servers.importable': async () => ({
      programs: await findImportable(places, (name) => host.upstreams.view(name) !== undefined),
    }),
    'servers.import': async (params) => {
      const { file, servers } = readParams(params, { file: text, servers: list(text) })
      return ownFile.add(await readImportable(places, file, servers))
    },
    'servers.registry': async (params, signal) => {
      const { query } = readParams(params, { query: text })
      return { entries: await searchRegistry(registryUrl, query, signal), source: new URL(registryUrl).host }
    },
  }
}

function findConfig({ host }: WorkbenchServices, server: string): ServerConfig {
  const view = host.upstreams.view(server)
  if (view !== undefined) return view.config
  const message = `No server "${server}" is configured`
  throw new Refused(404, { code: 'unknown-server', message, remedy: 'See the list under Servers.' })
}

async function remove(services: WorkbenchServices, config: ServerConfig): Promise<void> {
  const { host, ownFile, ownServers } = services
  if (ownFile.holds(config)) {
    await ownFile.remove(config)
    return
  }
  const at = ownServers.findIndex(({ name }) => name === config.name)
  if (config.place.file === BUILT_IN_FILE || at < 0) {
    throw new Refused(409, {
      code: 'not-removable',
      message: at < 0 ? `"${config.name}" is in ${config.place.file}` : `"${config.name}" comes with the program`,
      remedy: at < 0 ? 'Remove it in that file, or disable it here.' : 'Disable it instead.',
    })
  }
  ownServers.splice(at, 1)
  await host.reload()
}

type Action = 'enable' | 'disable' | 'restart' | 'sign-in' | 'sign-out'

const ACTIONS: { readonly [action in Action]: (services: WorkbenchServices, config: ServerConfig) => Promise<void> } = {
  enable: (services, config) => setDisabled(services, config, false),
  disable: (services, config) => setDisabled(services, config, true),
  restart: async ({ host }, { name }) => {
    // Connecting may wait for a person's yes; the card shows how it goes.
    await settledOr(host.upstreams.restart(name))
  },
  'sign-in': async ({ host, signInPages }, { name }) => {
    await settledOr(signInPages.during(name, () => host.signIn(name)))
  },
  'sign-out': signOut,
}

/** Written where the entry is, so that it holds after a restart; a project's file is not ours to change. */
async function setDisabled(services: WorkbenchServices, config: ServerConfig, disabled: boolean): Promise<void> {
  const { host, ownFile, ownServers } = services
  const { name } = config
  const at = ownServers.findIndex((one) => one.name === name)
  const own = ownServers[at]
  if (ownFile.holds(config)) await ownFile.setDisabled(config, disabled)
  else if (own !== undefined) {
    ownServers[at] = { ...own, settings: { ...own.settings, disabled } }
    const others = services.disabled.value.filter((one) => one !== name)
    services.disabled.set(disabled ? [...others, name] : others)
    await host.reload()
  }
  if (disabled) await host.upstreams.disable(name)
  else host.upstreams.enable(name)
}

async function signOut({ host, info }: WorkbenchServices, config: ServerConfig): Promise<void> {
  const { name } = config
  try {
    const done = await signOutOf(config, info.stateDir)
    if (done === 'signed-out') return
    const message = done === 'nobody' ? `Nobody was signed in to "${name}"` : `"${name}" has no sign-in`
    throw new Refused(409, { code: 'not-signed-in', message })
  } finally {
    await settledOr(host.upstreams.restart(name))
  }
}

const PATIENCE_MS = 1_500

/** Waits a moment for a refusal; what takes longer goes on, and is told by events. */
async function settledOr(work: Promise<unknown>): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const patience = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, PATIENCE_MS)
  })
  work.catch(() => {})
  await Promise.race([work, patience]).finally(() => clearTimeout(timer))
}

async function setTrust({ host }: WorkbenchServices, file: string, trusted: boolean): Promise<void> {
  if (host.trust === undefined) throw new Refused(409, { code: 'no-state', message: 'Nothing is kept by this host' })
  const found = host.config.untrusted.find((one) => one.file === file)
  if (trusted && found === undefined) {
    throw new Refused(404, { code: 'unknown-file', message: 'No such file waits to be trusted' })
  }
  // What was shown is what is trusted, whatever the file holds by now.
  if (found !== undefined && trusted) await host.trust.trust(found.file, found.content)
  if (!trusted) await host.trust.revoke(file)
  await host.reload()
}
