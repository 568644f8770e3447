/** What a host keeps in its state folder, each as a list of numbers that can be added to. */

import { join } from 'node:path'
import { createTaskBook } from '../src/assembly/tasks/task-book.ts'
import { openAuditLog } from '../src/audit/log.ts'
import { searchAudit } from '../src/audit/search.ts'
import { createGrants } from '../src/consent/grants.ts'
import { createPinFile } from '../src/upstream/pins/pin-file.ts'

export interface NumberStore {
  write(one: number): Promise<unknown>
  read(): Promise<readonly number[]>
  close(): Promise<unknown>
}

type Open = (folder: string) => Promise<NumberStore>

const quiet = (): void => {}
const nothing = async (): Promise<void> => {}

export const STORES: { readonly [name: string]: Open } = {
  'audit log': async (folder) => {
    const file = join(folder, 'audit.jsonl')
    const log = await openAuditLog({ file })
    return {
      write: (one) => log.append({ at: one, type: 'event', what: 'number' }),
      async read() {
        const found: number[] = []
        for await (const record of searchAudit(file, { type: 'event' }))
          if (record.what === 'number') found.push(record.at)
        return found
      },
      close: () => log.close(),
    }
  },
  grants: async (folder) => {
    const grants = await createGrants({ file: join(folder, 'grants.json'), onWarning: quiet })
    const circumstances = { session: 's', unattended: false, tainted: false, at: 1 }
    return {
      write: (one) =>
        grants.remember(
          { kind: 'call', server: 's', tool: `t${one}`, arguments: {}, trusted: false },
          { action: 'allow', remember: 'always', breadth: 'item' },
          circumstances,
        ),
      read: async () => grants.list().map(({ item }) => Number(item?.slice(1))),
      close: async () => grants.close(),
    }
  },
  pins: async (folder) => {
    const pins = createPinFile(join(folder, 'pins.json'), quiet)
    return {
      async write(one) {
        pins.write('s', `tool ${one}`, { present: true, since: one })
        await pins.flush()
      },
      read: async () => [...(pins.read().get('s')?.values() ?? [])].map(({ since }) => Number(since)),
      close: nothing,
    }
  },
  tasks: async (folder) => {
    const book = createTaskBook({ file: join(folder, 'tasks.json'), onWarning: quiet })
    const task = { server: 's', identity: 'i', tool: 'x', generation: 'core', status: 'working', updatedAt: 1 } as const
    return {
      write: (one) => book.keep({ ...task, label: `label-${one}`, taskId: `t${one}`, startedAt: one }),
      read: async () => (await book.list()).map(({ startedAt }) => startedAt),
      close: nothing,
    }
  },
}

export function openStore(open: Open | undefined, folder: string): Promise<NumberStore> {
  if (open === undefined) throw new Error('no such store')
  return open(folder)
}
