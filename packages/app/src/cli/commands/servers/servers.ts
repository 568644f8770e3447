/** `portico servers`: one word says what to do, and the file that does it is loaded then. */

import { nearestName } from '@portico/host/text'
import { CliError } from '../../../exit-codes.ts'
import type { CommandInput } from '../../parse/command.ts'
import type { ServersAction } from '../../servers-action.ts'
import type { Io } from '../../terminal/io.ts'

const ACTIONS: { readonly [action: string]: () => Promise<ServersAction> } = {
  status: async () => (await import('./servers-status.ts')).showStatus,
  add: async () => (await import('./servers-edit.ts')).addServer,
  remove: async () => (await import('./servers-edit.ts')).removeServer,
  enable: async () => (await import('./servers-edit.ts')).enableServer,
  disable: async () => (await import('./servers-edit.ts')).disableServer,
  import: async () => (await import('./servers-exchange.ts')).importServers,
  export: async () => (await import('./servers-exchange.ts')).exportAll,
  'sign-in': async () => (await import('./servers-access.ts')).signIn,
  'sign-out': async () => (await import('./servers-access.ts')).signOut,
  logs: async () => (await import('./servers-access.ts')).followLogs,
  approve: async () => (await import('./servers-access.ts')).approveChanges,
  untrust: async () => (await import('./servers-access.ts')).untrustProject,
  trust: async () => (await import('./servers-access.ts')).trustProject,
}

export async function run(input: CommandInput, io: Io): Promise<number> {
  const [named = 'status', ...words] = input.positionals
  // As other commands call it.
  const action = named === 'list' ? 'status' : named
  const load = Object.hasOwn(ACTIONS, action) ? ACTIONS[action] : undefined
  if (load === undefined) {
    const near = nearestName(action, Object.keys(ACTIONS))
    const hint =
      near === undefined
        ? `Use one of ${Object.keys(ACTIONS).join(', ')}. `
        : `Did you mean \`portico servers ${near}\`? `
    throw new CliError('usage', `servers: there is no action "${action}"`, `${hint}See \`portico servers --help\`.`)
  }
  return (await load())(words, input, io)
}
