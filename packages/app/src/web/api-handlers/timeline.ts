/** `timeline.*`: every message of every connection, recordings of them, and what can be made of a recording. */

import { defineServer } from '@portico/host/config'
import { exportTest } from '../../recording/export-test.ts'
import { RECORDING_MODULE } from '../built-in.ts'
import { Refused } from '../http/failure.ts'
import { flag, number, optional, readParams, text } from '../http/params.ts'
import type { HandlersOf, WorkbenchServices } from '../workbench-services.ts'

const MAX_DECODED = 4 * 1_048_576

export function timelineHandlers(services: WorkbenchServices): HandlersOf<'timeline.'> {
  const { messages, recordings } = services
  return {
    'timeline.query': (params) =>
      messages.query(
        readParams(params, {
          filter: optional(text),
          before: optional(number),
          after: optional(number),
          limit: optional(number),
        }),
      ),
    'timeline.message': (params) => {
      const { id } = readParams(params, { id: number })
      const entry = messages.find(id)
      if (entry === undefined) {
        throw new Refused(404, {
          code: 'gone',
          message: 'The message is no longer kept',
          remedy: 'Record to keep more.',
        })
      }
      const { row, text: raw } = entry
      return { row, message: decoded(raw), raw, related: messages.related(row) }
    },
    'timeline.clear': () => {
      messages.clear()
      services.emit({ type: 'timeline', total: messages.total, newest: messages.newest })
      return {}
    },
    'timeline.stats': () => messages.stats(),
    'timeline.record': async (params) => {
      const { server, on } = readParams(params, { server: optional(text), on: flag })
      if (on) return { file: await recordings.start(server), recording: true }
      return { ...(await recordings.stop()), recording: false }
    },
    'timeline.recordings': async () => ({
      recordings: await recordings.list(),
      ...(recordings.current !== undefined && { recording: recordings.current }),
    }),
    'timeline.replay': async (params) => {
      const { file } = readParams(params, { file: text })
      await recordings.read(file)
      return { server: await addReplay(services, file) }
    },
    'timeline.exportTest': async (params) => {
      const { name, text: written } = exportTest(await recordings.read(readParams(params, { file: text }).file))
      return { name, text: written }
    },
  }
}

/** What was cut is no JSON any more, and is shown as it is. */
function decoded(raw: string): unknown {
  try {
    return raw.length > MAX_DECODED ? raw : JSON.parse(raw)
  } catch {
    return raw
  }
}

async function addReplay({ host, ownServers, recordings }: WorkbenchServices, file: string): Promise<string> {
  const stem = `replay-${file.replace(/\.jsonl$/, '').replace(/^[\dT-]+Z?-?/, '') || 'session'}`.slice(0, 60)
  let name = stem
  for (let count = 2; host.upstreams.view(name) !== undefined; count++) name = `${stem}-${count}`
  // What it says are others' words, as it was when they were recorded.
  const target = { kind: 'in-process', module: RECORDING_MODULE, options: { file: recordings.path(file) } } as const
  ownServers.push(defineServer(name, target, {}, { file: '(recording)', path: file }))
  await host.reload()
  return name
}
