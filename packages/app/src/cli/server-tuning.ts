/** Settings of a server that the person changes in the middle of a conversation: its roots, and what it logs. */

import { resolve } from 'node:path'
import type { Host } from '@portico/host'
import { LOG_LEVELS } from '@portico/host/config'
import type { Io } from './terminal/io.ts'
import { toLine } from './terminal/plain-text.ts'

/** Without a server, says what each is offered; `default` brings the configured roots back, `none` offers none. */
export async function setRoots([server, ...folders]: readonly string[], host: Host, io: Io): Promise<void> {
  if (server !== undefined && folders.length > 0) {
    const [first] = folders
    const isWord = folders.length === 1 && (first === 'default' || first === 'none')
    const roots = isWord ? (first === 'none' ? [] : undefined) : folders.map((folder) => toFolder(folder, io.cwd))
    await host.setRoots(server, roots)
  }
  for (const { name, config } of host.upstreams.views()) {
    if (server !== undefined && name !== server) continue
    io.say(`${toLine(name)}: ${toLine(config.settings.roots.join(', '), 400) || 'none'}`)
  }
}

export async function setLogLevel([server = '', wanted]: readonly string[], host: Host, io: Io): Promise<void> {
  const level = LOG_LEVELS.find((one) => one === wanted)
  if (level === undefined) {
    io.say(`Give a server and one of ${LOG_LEVELS.join(', ')}.`)
    return
  }
  await host.setLogLevel(server, level)
  io.say(`${toLine(server)} is asked for log messages from ${level} on.`)
}

function toFolder(word: string, cwd: string): string {
  return /^file:/i.test(word) ? word : resolve(cwd, word)
}
